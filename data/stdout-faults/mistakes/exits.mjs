/** No mistake with stdout: a server that ends at once, to see what is said of a connection that fails. */
process.exit(3);
