import { expect, test } from 'vitest'
import { workspaceNews } from './workspace-news.ts'

const arrived = {
  at: Date.UTC(2026, 0, 31, 12),
  isWhole: true,
  isNew: true,
  movedTo: null,
  diedSince: false,
}

test('J-10 the prompt says where the files come from, and which are missing', () => {
  expect(workspaceNews(arrived)).toBe(
    'This work goes on on another machine. The files and branches are as they were kept at 2026-01-31T12:00:00.000Z. Files that git ignores, such as installed packages and build results, are not here.',
  )
  expect(workspaceNews({ ...arrived, isNew: false })).not.toContain('ignores')
})

test('J-10 what died with a host is named', () => {
  const news = workspaceNews({ ...arrived, diedSince: true })
  expect(news).toContain('What the interrupted run changed after 2026-01-31T12:00:00.000Z is not')
  const nothingKept = workspaceNews({ ...arrived, at: null, diedSince: true })
  expect(nothingKept).toContain('The files are those of the repository.')
  expect(nothingKept).toContain('changed after the beginning is not here')
})

test('J-10 a state that could not be read, and an older one of this host, are named', () => {
  expect(workspaceNews({ ...arrived, isWhole: false })).toContain('it could not be read')
  expect(workspaceNews({ ...arrived, movedTo: '/data/old' })).toContain('is in /data/old.')
})
