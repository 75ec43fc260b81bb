import { expect, test } from 'vitest'
import type { Io } from '../start/io.ts'
import { workPlaceOf } from './place-flags.ts'

const io = { cwd: '/home/me' } as Io

test('J-10 without a repository the work is in a directory', () => {
  expect(workPlaceOf(io, {})).toEqual({ workDir: '/home/me' })
  expect(workPlaceOf(io, { cwd: 'project' })).toEqual({ workDir: '/home/me/project' })
})

test('J-10 a repository comes with its ref; a path that begins with a dot is that of a directory', () => {
  const repository = 'https://example.org/x.git'
  expect(workPlaceOf(io, { repository })).toEqual({ workspace: { repository } })
  expect(workPlaceOf(io, { repository, ref: 'main' })).toEqual({
    workspace: { repository, ref: 'main' },
  })
  expect(workPlaceOf(io, { repository: './x' })).toEqual({
    workspace: { repository: '/home/me/x' },
  })
})

test('J-10 a ref alone is refused', () => {
  expect(() => workPlaceOf(io, { ref: 'main' })).toThrow('--ref says nothing without --repository')
})
