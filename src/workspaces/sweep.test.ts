// The sweep of work trees and caches, on a real repository.
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createGit } from '../runner/git.ts'
import { openWorkspaces, type Workspaces } from './workspaces.ts'

let top: string
let data: string
let origin: string
let workspaces: Workspaces

const env = () => ({ PATH: process.env.PATH, HOME: top })

function git(...args: string[]): string {
  const who = ['-c', 'user.name=u', '-c', 'user.email=u@localhost']
  const options = { cwd: origin, env: env(), encoding: 'utf8', stdio: 'pipe' } as const
  return execFileSync('git', [...who, ...args], options).trim()
}

async function make(id = 'thr_one'): Promise<string> {
  const commit = git('rev-parse', 'HEAD')
  await workspaces.make({ id, repository: origin, ref: null, commit })
  return workspaces.pathOf(id)
}

beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-sweep-')))
  data = join(top, 'data')
  origin = join(top, 'origin')
  mkdirSync(origin)
  git('init', '--quiet', '--initial-branch=main')
  git('commit', '--quiet', '--allow-empty', '-m', 'first')
  const holder = { name: 'here', isAlive: (name: string) => name === 'here' }
  workspaces = openWorkspaces({ git: createGit(env()), directory: data, holder })
})
afterEach(() => rmSync(top, { recursive: true, force: true }))

describe('J-10 the sweep', () => {
  const HOUR = 3_600_000
  const age = (path: string, ms: number) => {
    const then = new Date(Date.now() - ms)
    utimesSync(path, then, then)
  }
  const bounds = { keepMs: 10 * HOUR, maxBytes: 1e9, mayGo: async () => false }
  const sweep = (change = {}) => workspaces.sweep({ ...bounds, now: Date.now(), ...change })
  const cache = () => join(data, 'repositories', readdirSync(join(data, 'repositories'))[0] ?? '')

  test('removes only the work trees that may go, and asks with the time of their last use', async () => {
    await make('thr_a')
    await make('thr_b')
    const asked: [string, boolean][] = []
    const mayGo = async (id: string, usedAt: number) => {
      asked.push([id, Math.abs(Date.now() - usedAt) < HOUR])
      return id === 'thr_a'
    }
    expect(await sweep({ mayGo })).toMatchObject({ trees: ['thr_a'] })
    expect(asked.sort()).toEqual([
      ['thr_a', true],
      ['thr_a', true],
      ['thr_b', true],
    ])
    expect(await workspaces.find('thr_a')).toBeNull()
    expect(await workspaces.find('thr_b')).not.toBeNull()
  })

  test('leaves a work tree that another process works on, or has entered since it was looked at', async () => {
    await make('thr_a')
    const mayGo = async () => true
    await workspaces.alone('thr_a', async () => {
      expect(await sweep({ mayGo })).toMatchObject({ trees: [] })
    })
    const answers = [true, false]
    expect(await sweep({ mayGo: async () => answers.shift() })).toMatchObject({ trees: [] })
    expect(answers).toEqual([])
    expect(await workspaces.find('thr_a')).not.toBeNull()
    expect(await sweep({ mayGo })).toMatchObject({ trees: ['thr_a'] })
  })

  test('keeps a cache from which a work tree borrows, whatever its age and size', async () => {
    await make()
    age(cache(), 100 * HOUR)
    expect(await sweep({ maxBytes: 1 })).toMatchObject({ caches: [] })
    await workspaces.remove('thr_one')
    expect((await sweep()).caches).toHaveLength(1)
    expect(readdirSync(join(data, 'repositories'))).toEqual([])
  })

  test('removes caches beyond the bound, the oldest first, but none that was just used', async () => {
    await make()
    await workspaces.remove('thr_one')
    expect(await sweep({ maxBytes: 1 })).toMatchObject({ caches: [] })
    age(cache(), 5 * HOUR)
    expect(await sweep()).toMatchObject({ caches: [] })
    expect((await sweep({ maxBytes: 1 })).caches).toHaveLength(1)
  })

  test('removes drafts of killed processes and work trees that were moved aside long ago', async () => {
    const root = await make()
    await make()
    const aside = readdirSync(dirname(root)).find(name => /\.left-[0-9a-f]+$/.test(name)) ?? ''
    const claim = `thr_x.lock-${randomUUID()}`
    const left = [aside, 'thr_x.1.draft', claim]
    const caches = join(data, 'repositories')
    mkdirSync(join(dirname(root), 'thr_x.1.draft'))
    writeFileSync(join(dirname(root), claim), 'dead\n')
    writeFileSync(join(caches, claim), 'dead\n')
    await sweep()
    expect(readdirSync(dirname(root))).toEqual(expect.arrayContaining(left))
    for (const name of left) age(join(dirname(root), name), 50 * HOUR)
    age(join(caches, claim), 50 * HOUR)
    await sweep()
    expect(readdirSync(dirname(root)).toSorted()).toEqual(['thr_one', 'thr_one.json'])
    expect(readdirSync(caches)).not.toContain(claim)
  })
})
