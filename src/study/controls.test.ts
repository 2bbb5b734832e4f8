/** What a list of controls may look like. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseControls } from './controls.js';

describe('a list of controls', () => {
  it('is empty for none', () => {
    assert.deepEqual(parseControls('none'), []);
  });

  it('holds all five for all', () => {
    assert.deepEqual(parseControls('all'), ['filter', 'count', 'paginate', 'select', 'cache']);
  });

  it('comes in one order, however it was written', () => {
    assert.deepEqual(parseControls('cache, filter'), ['filter', 'cache']);
  });

  it('refuses a name that is no control, and says which names are', () => {
    assert.throws(() => parseControls('filter,cahce'), {
      message:
        'INVALID_CONTROLS: "cahce" is not a control: write none, all, or some of filter,count,paginate,select,cache with commas between them',
    });
  });

  it('refuses an empty text', () => {
    assert.throws(() => parseControls(''), { code: 'INVALID_CONTROLS' });
  });

  it('refuses none or all beside other names', () => {
    assert.throws(() => parseControls('all,filter'), { code: 'INVALID_CONTROLS' });
  });

  it('refuses a name that stands there twice', () => {
    assert.throws(() => parseControls('filter,filter'), { code: 'INVALID_CONTROLS' });
  });
});
