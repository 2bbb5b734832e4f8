/** Specification: how a command line becomes words. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { splitCommandLine } from './command-line.js';

describe('a command line', () => {
  it('is split at blanks', () => {
    assert.deepEqual(splitCommandLine('  node  server.js\t--port 1 '), ['node', 'server.js', '--port', '1']);
    assert.deepEqual(splitCommandLine('  '), []);
  });

  it('keeps together what stands in quotes, empty words too', () => {
    assert.deepEqual(splitCommandLine(`node 'my server.js' "a b" '' ""`), [
      'node',
      'my server.js',
      'a b',
      '',
      '',
    ]);
    assert.deepEqual(splitCommandLine(`--name="a b"'c d'e`), ['--name=a bc de']);
  });

  it('reads backslashes as a shell does', () => {
    assert.deepEqual(splitCommandLine('a\\ b \\"c'), ['a b', '"c']);
    assert.deepEqual(splitCommandLine('"say \\"hi\\" \\n \\\\ \\$HOME"'), ['say "hi" \\n \\ $HOME']);
    assert.deepEqual(splitCommandLine(`'C:\\dir'`), ['C:\\dir']);
  });

  it('expands nothing', () => {
    assert.deepEqual(splitCommandLine('echo $HOME *.js {trial} | cat'), [
      'echo',
      '$HOME',
      '*.js',
      '{trial}',
      '|',
      'cat',
    ]);
  });

  it('must be finished', () => {
    assert.throws(
      () => splitCommandLine(`node 'a b`),
      /COMMAND_LINE: a quote at character 6 is not closed: node 'a b/,
    );
    assert.throws(() => splitCommandLine('node a\\'), /COMMAND_LINE: it ends with a backslash/);
  });
});
