/** Which line is the first heading. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { firstHeading } from './heading.js';

const headings = (...texts: string[]) => texts.map(firstHeading);

describe('the first heading', () => {
  it('begins with hashes and a space, of any level', () => {
    assert.deepEqual(headings('# One', 'text\n\n   ###### Six ##', '#\tTab', '# C#', '# a # b # '), [
      'One',
      'Six',
      'Tab',
      'C#',
      'a # b',
    ]);
  });

  it('may be underlined, and of several lines', () => {
    assert.deepEqual(headings('One\n===', 'One\ntwo\n  ---', 'One\r\n-\r\n'), ['One', 'One two', 'One']);
  });

  it('is the one that comes first', () => {
    assert.equal(firstHeading('\n\nFirst\n-----\n\n# Second'), 'First');
  });

  it('is no tag, no escaped hash, no code', () => {
    assert.deepEqual(headings('#tag', '####### seven', '\\# no', '    # code', '\t# code'), [
      null,
      null,
      null,
      null,
      null,
    ]);
  });

  it('is not in a fenced block, whatever stands in it', () => {
    assert.deepEqual(
      headings(
        '```sh\n# no\n```\n# Yes',
        '~~~~\n# no\n~~~\n```\n~~~~~\n# Yes',
        '```\n# never closed',
        '``` not`a fence\n# Yes',
        'text\n```\nno\n---\n```\n# Yes',
      ),
      ['Yes', 'Yes', null, 'Yes', 'Yes'],
    );
  });

  it('is not in a comment or in HTML', () => {
    assert.deepEqual(
      headings(
        '<!--\n# no\n\n# no\n-->\n# Yes',
        '<!-- remark -->\n# Yes',
        '<pre>\n\n# no\n</pre>\n# Yes',
        '<div>\n# no\n\n# Yes\n</div>',
      ),
      ['Yes', 'Yes', 'Yes', 'Yes'],
    );
  });

  it('is no rule, and no line above one in a list or quotation', () => {
    assert.deepEqual(
      headings('---\n\n# Yes', '* * *\n---', '- item\n---', '> quoted\nlazily\n---', '1. one\n---\n# Yes'),
      ['Yes', null, null, null, 'Yes'],
    );
  });

  it('is none where there is only text, or nothing', () => {
    assert.deepEqual(headings('', 'text', '#', '# \n## #\n### Yes', '[a]: /b\n---'), [
      null,
      null,
      null,
      'Yes',
      null,
    ]);
  });

  it('is found in any text, or not, without failing', () => {
    const line = fc.oneof(
      fc.constantFrom('```', '~~~', '<!--', '-->', '# x', '---', '> y', '', '  '),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(line), fc.constantFrom('\n', '\r\n', '\r'), (lines, end) => {
        const heading = firstHeading(lines.join(end));
        assert.ok(heading === null || heading.trim() !== '');
      }),
    );
  });
});
