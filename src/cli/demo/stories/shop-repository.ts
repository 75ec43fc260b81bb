// The git repository of the shop. Checkpoints of a job are taken in it.
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { SHOP_FILES } from './shop-files.ts'

const run = promisify(execFile)

/** The same author and the same date make the same commit every time. */
const AUTHOR = {
  GIT_AUTHOR_NAME: 'The shop',
  GIT_AUTHOR_EMAIL: 'shop@example.com',
  GIT_AUTHOR_DATE: '2026-11-01T09:00:00Z',
  GIT_COMMITTER_NAME: 'The shop',
  GIT_COMMITTER_EMAIL: 'shop@example.com',
  GIT_COMMITTER_DATE: '2026-11-01T09:00:00Z',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
}

/** Writes the files, and commits them where git is installed; without git there are no checkpoints. */
export async function createShop(directory: string): Promise<void> {
  for (const [name, content] of Object.entries(SHOP_FILES)) {
    const path = join(directory, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, content)
  }
  const git = (...args: readonly string[]) =>
    run('git', [...args], { cwd: directory, env: { PATH: process.env.PATH, ...AUTHOR } })
  try {
    await git('init', '--quiet', '--initial-branch', 'main')
    await git('add', '--all')
    await git('commit', '--quiet', '--message', 'The shop as it is')
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    if (!isMissing) throw error
  }
}
