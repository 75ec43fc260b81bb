import { expect, test } from 'vitest'
import type { Preview } from '../../core/decide/preview.ts'
import type { Io } from '../start/io.ts'
import { printPreview } from './print-preview.ts'

test('T-3 a note of a preview stands in a line of its own, and its control characters are shown', () => {
  let out = ''
  const io = { stdout: { write: (piece: string) => (out += piece) }, env: {} } as unknown as Io
  const decision = { action: 'start', reason: { code: 'first-turn' }, checks: [] }
  const preview = { decision, words: 'A new session starts.', estimate: null, ways: [] }
  const notes = ['2 messages leave this branch.', 'with \n in it']
  printPreview(io, { ...preview, notes } as unknown as Preview, {})
  expect(out).toContain('\n\n2 messages leave this branch.\n\nwith ⏎ in it\n\nestimate: ')
})
