import { expect, test } from 'vitest'
import { memoryFiles } from './memory-files.ts'

test('files in memory are read as they were written, in part or as a whole', async () => {
  const files = memoryFiles()
  await files.write('/a/b/one', 'hello')
  await files.append('/a/b/one', ' world')
  expect(files.text('/a/b/one')).toBe('hello world')
  expect(await files.read('/a/b/one', 6, 9)).toEqual(new TextEncoder().encode('wor'))
  expect(await files.stat('/a/b/one')).toMatchObject({ kind: 'file', sizeBytes: 11 })
  expect(await files.stat('/a/b')).toMatchObject({ kind: 'directory' })
  expect(await files.list('/a')).toEqual(['b'])
})

test('a missing file is null', async () => {
  const files = memoryFiles()
  const answers = [files.stat('/x'), files.realpath('/x'), files.list('/x'), files.read('/x')]
  expect(await Promise.all(answers)).toEqual([null, null, null, null])
})

test('removing and renaming work on directories with all their files', async () => {
  const files = memoryFiles()
  await files.write('/a/b/one', '1')
  await files.write('/a/two', '2')
  files.rename('/a', '/c')
  expect(files.paths()).toEqual(['/c/b/one', '/c/two'])
  await files.remove('/c/b')
  expect(files.paths()).toEqual(['/c/two'])
  expect(await files.list('/c')).toEqual(['two'])
})

test('a claim succeeds once', async () => {
  const files = memoryFiles()
  expect([await files.claim('/x'), await files.claim('/x')]).toEqual([true, false])
})

test('every change has a new time', async () => {
  const files = memoryFiles()
  await files.write('/x', 'a')
  const before = (await files.stat('/x'))?.modifiedMs
  await files.append('/x', 'b')
  expect((await files.stat('/x'))?.modifiedMs).not.toBe(before)
})
