import { expect, test } from 'vitest'
import { userMessage } from './messages.ts'
import { withVersions } from './versions.ts'

const message = (id: string) => userMessage({ id, text: id, runId: null, createdAt: 1 })

test('a message with others in its place says where it stands among them', () => {
  const branch = [message('a'), message('c'), message('d')]
  const [a, c, d] = withVersions(branch, [['b', 'c', 'e'], ['d']])
  expect(a).toEqual(branch[0])
  expect(c?.versions).toEqual({ position: 2, count: 3, previousId: 'b', nextId: 'e' })
  expect(d).not.toHaveProperty('versions')
  const [first] = withVersions([message('b')], [['b', 'c']])
  expect(first?.versions).toEqual({ position: 1, count: 2, previousId: null, nextId: 'c' })
})
