// Which checkpoints leave with a thread, and which bundle of somebody else may come in.
import { expect, test } from 'vitest'
import { checkBundle, checkpointBundle } from './checkpoint-bundle.ts'

const bundle = (...refs: readonly string[]) =>
  Buffer.from(`# v2 git bundle\n${refs.map(ref => `${'0'.repeat(40)} ${ref}\n`).join('')}\nPACK`)

test('S23 a bundle of checkpoints may come in', () => {
  expect(() => checkBundle(bundle('refs/reprise/job_a/1'))).not.toThrow()
  expect(() => checkBundle(bundle('refs/reprise/job_a/1', 'refs/reprise/job_a/2'))).not.toThrow()
})

test.each([
  ['one of no git', Buffer.from('evil'), 'its bundle is not one of git'],
  ['an empty one', bundle(), 'its bundle names something else than checkpoints'],
  [
    'one with a branch beside a checkpoint',
    bundle('refs/reprise/job_a/1', 'refs/heads/main'),
    'its bundle names something else than checkpoints',
  ],
])('S23 %s is refused, with the reason', (_, bytes, why) => {
  expect(() => checkBundle(bytes)).toThrow(why)
})

test('S23 a bundle that cannot be read for another reason is our own fault, and no damage', () => {
  const broken = {
    indexOf: () => {
      throw new TypeError('not bytes')
    },
  }
  expect(() => checkBundle(broken as never)).toThrow(TypeError)
})

type Given = { readonly job?: object | null; readonly refs?: string }

function bundleOf({ job = null, refs = '' }: Given) {
  const asked: string[] = []
  const kept = Buffer.from('kept')
  const git = async ({ args }: { args: readonly string[] }) => {
    asked.push(args[0] ?? '')
    const isRepository = args[0] === 'rev-parse' && refs !== 'none'
    const place = ['false', '/', '/', 'sha1', '/'].join('\n')
    const answer = isRepository ? place : args[0] === 'for-each-ref' ? refs : ''
    return {
      code: isRepository || args[0] === 'for-each-ref' ? 0 : 1,
      stdout: Buffer.from(answer),
      stderr: '',
    }
  }
  const dependencies = {
    store: { jobOfThread: async () => job },
    vault: { objects: { get: async (key: object) => ({ ...key, bytes: kept }) } },
    git,
  }
  return { bundle: checkpointBundle(dependencies as never, 'thr_1'), asked }
}

const JOB = { id: 'job_1', checkpointing: 'auto', workspace: null, workDir: '/' }

test('V-3 a thread that was imported gives the bundle that came with it', async () => {
  const { bundle: given, asked } = bundleOf({})
  expect(await given).toMatchObject({ owner: 'thr_1', name: 'checkpoints.bundle' })
  expect(asked).toEqual([])
})

test.each<[string, Given, readonly string[]]>([
  ['a job in a repository workspace', { job: { ...JOB, workspace: {} } }, []],
  ['a job without a repository', { job: JOB, refs: 'none' }, ['rev-parse']],
  ['a job without a checkpoint', { job: JOB }, ['rev-parse', 'for-each-ref']],
])('V-3 %s has no bundle, and git is asked no more than needed', async (_, given, calls) => {
  const { bundle: none, asked } = bundleOf(given)
  expect(await none).toBeNull()
  expect(asked).toEqual(calls)
})
