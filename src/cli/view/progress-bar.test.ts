import { expect, test } from 'vitest'
import type { Row } from '../start/io.ts'
import { barText, progressBar } from './progress-bar.ts'

test.each([
  [{ done: 0, total: 4 }, 0, '  0 %'],
  [{ done: 2, total: 4 }, 12, ' 50 %'],
  [{ done: 4, total: 4 }, 24, '100 %'],
  [{ done: 0, total: 0 }, 24, '100 %'],
  [{ done: 9, total: 4 }, 24, '100 %'],
])('a bar at %j', (step, full, percent) => {
  const text = barText('backup', step, 'pages')
  expect(text).toContain(`backup ${'█'.repeat(full)}${'░'.repeat(24 - full)} ${percent}`)
  expect(text).toContain(`${step.done} of ${step.total} pages`)
})

test('a bar is shown on a terminal only', () => {
  const shown: (readonly Row[])[] = []
  const line = { show: (rows: readonly Row[]) => void shown.push(rows), clear: () => {} }
  progressBar({ line }, 'verify', 'rules')({ done: 1, total: 2 })
  expect(shown).toHaveLength(1)
  expect(() => progressBar({}, 'verify', 'rules')({ done: 1, total: 2 })).not.toThrow()
})
