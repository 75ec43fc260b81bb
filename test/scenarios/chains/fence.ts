// Scenarios of the fence of a tier on the real programs: each call waits for our word, those of subagents included.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Policy } from '../../../src/core/chain/policy.ts'
import type { ChainOptions, RunEvent } from '../../../src/index.ts'
import { type Act, call, delegate, verdict } from '../harness/acts.ts'
import type { Harness } from '../harness/harness.ts'
import type { RealVersion } from '../harness/program.ts'
import { useHarness } from '../threads/threads.ts'
import { opsPolicy } from './chains.ts'

const bash = (command: string) => call('Bash', { command, description: 'x' })

/** Each would leave a file, past the rules of at least one version of the agent program. */
const TOUCHING = (file: string): readonly string[] => [
  `touch ${file}; false`,
  `{touch,${file}}`,
  `/usr/bin/touch ${file}`,
  `>/dev/null touch ${file}`,
  `echo "$(touch ${file})"`,
  `X=touch; $X ${file}`,
  `env touch ${file}`,
  `timeout 5 touch ${file}`,
  `echo ${file} | xargs touch`,
  `find . -maxdepth 0 -exec touch ${file} \\;`,
  `bash -c 'touch ${file}'`,
  `echo touch ${file} | sh`,
  `eval 'touch ${file}'`,
  `cat <<E\n$(touch ${file})\nE`,
  `f() { touch ${file}; }; f`,
]

const policy = (allowedTools: readonly string[], disallowedTools: readonly string[]): Policy => {
  const [tier] = opsPolicy().tiers
  if (!tier) throw new Error('the policy has no tier')
  return opsPolicy({ maxTier: 1, tiers: [{ ...tier, allowedTools, disallowedTools }] })
}

export function fenceScenarios(version: RealVersion): void {
  describe(`the fence on ${version}`, () => fenced(useHarness(version)))
}

function fenced(world: () => Harness): void {
  const chain = async (acts: readonly Act[], options: Partial<ChainOptions> = {}) => {
    rmSync(join(world().workDir, 'PROOF'), { force: true })
    world().model.plan([...acts, verdict('resolved')])
    const start = { policy: opsPolicy(), prompt: 'check', workDir: world().workDir, ...options }
    const run = world().reprise.chains.start(start)
    const events: RunEvent[] = []
    for await (const event of run) events.push(event)
    const calls = events.flatMap(event => (event.type === 'tool' ? event : []))
    const results = events.flatMap(event => (event.type === 'tool-result' ? event : []))
    return { done: await run.result, calls, results }
  }
  const left = () => readdirSync(world().workDir).filter(name => !name.startsWith('.'))

  test('E-5 E-14 commands that get past the rules of the agent program do not run, and the chain goes on', async () => {
    const acts = TOUCHING('PROOF').map(bash)
    const { done, results } = await chain(acts, { policy: policy(['Bash'], ['Bash(touch:*)']) })
    expect(left()).toEqual([])
    expect(done).toMatchObject({ status: 'resolved' })
    expect(results.map(({ denied }) => denied)).toEqual(acts.map(() => true))
  })

  test('E-5 calls outside the tier that the program rejects before it asks do not run, and the chain goes on', async () => {
    const file = join(world().workDir, 'seen.txt')
    writeFileSync(file, 'as it was')
    const acts = [
      call('Write', { file_path: file, content: 'x' }),
      call('Edit', { file_path: join(world().workDir, 'none'), old_string: 'a', new_string: 'b' }),
      call('Write', { content: 'x' }),
    ]
    const { done, results } = await chain(acts, { policy: policy(['Read'], []) })
    expect(readFileSync(file, 'utf8')).toBe('as it was')
    rmSync(file)
    expect(left()).toEqual([])
    expect(results.map(({ isError }) => isError)).toEqual([true, true, true])
    expect(done).toMatchObject({ status: 'resolved' })
  })

  test('E-5 an allowed prefix lets no flag and no redirection through that writes', async () => {
    execFileSync('git', ['init', '-q', world().workDir])
    writeFileSync(join(world().workDir, '.gitignore'), 'x\n')
    const commands = [
      'git diff --output=PROOF',
      'git diff --outp PROOF',
      'git diff > PROOF',
      'git diff | tee PROOF',
      'GIT_EXTERNAL_DIFF=touch git diff',
    ]
    const acts = [...commands, 'git diff --stat | head -3'].map(bash)
    const { done, results } = await chain(acts, { policy: policy(['Bash(git diff:*)'], []) })
    expect(left()).toEqual([])
    expect(done).toMatchObject({ status: 'resolved' })
    expect(results.map(({ denied }) => denied)).toEqual([...commands.map(() => true), false])
  })

  test('E-5 a command whose copy in the stream is shortened runs as it was judged, and the chain goes on', async () => {
    const long = `cat <<'E' | wc -l\n${'"\n'.repeat(6_000)}E`
    const rules = policy(['Bash'], ['Bash(touch:*)'])
    const { done, results } = await chain([bash(long)], { policy: rules })
    expect(results.map(({ denied, text }) => [denied, text.trim()])).toEqual([[false, '6000']])
    expect(done).toMatchObject({ status: 'resolved' })
  })

  test('E-14 the policy that comes along lets a tier start subagents, under the name that the agent program uses', async () => {
    const { done, calls } = await chain([delegate(bash('echo looked'))])
    expect(done).toMatchObject({ status: 'resolved' })
    expect(calls.map(({ name, parentId }) => [name, parentId !== null])).toEqual([
      ['Agent', false],
      ['Bash', true],
    ])
  })

  test('E-14 the calls of a subagent are held to the tier: forbidden tools and commands do not run', async () => {
    const file = join(world().workDir, 'PROOF')
    const { done, results } = await chain(
      [
        delegate(
          bash('{touch,PROOF}'),
          bash('touch PROOF'),
          call('Write', { file_path: file, content: 'x' }),
          bash('echo looked'),
        ),
      ],
      { policy: policy(['Bash', 'Task'], ['Bash(touch:*)', 'Write']) },
    )
    expect(existsSync(file)).toBe(false)
    expect(done).toMatchObject({ status: 'resolved' })
    expect(results.filter(({ denied }) => denied)).toHaveLength(3)
    expect(results.filter(({ denied }) => !denied).every(({ isError }) => !isError)).toBe(true)
  })

  test('E-14 a tier that does not allow subagents gets none, although the agent program would start them unasked', async () => {
    const { done, results } = await chain([delegate(bash('touch PROOF'))], {
      policy: policy(['Bash', 'Read'], []),
    })
    expect(done).toMatchObject({ status: 'resolved' })
    expect(results.map(({ denied }) => denied)).toEqual([true])
    expect(left()).toEqual([])
  })

  test('E-13 a dry run is dry by fence: nothing is written by any tool, and looking works', async () => {
    writeFileSync(join(world().workDir, '.seen'), 'what is there\n')
    const file = join(world().workDir, 'PROOF')
    const writing = [
      bash('touch PROOF'),
      bash('ls > PROOF'),
      bash('{touch,PROOF}'),
      bash('ls $(touch PROOF)'),
      bash('sort -o PROOF .seen'),
      call('Write', { file_path: file, content: 'x' }),
    ]
    const wide = opsPolicy()
    const tiers = wide.tiers.map(tier => ({
      ...tier,
      permissionMode: 'acceptEdits',
      disallowedTools: [],
    }))
    const { done, results } = await chain([...writing, bash('cat .seen'), delegate(...writing)], {
      policy: { ...wide, tiers, maxTier: 1 },
      dryRun: true,
    })
    expect(left()).toEqual([])
    expect(done).toMatchObject({ status: 'resolved', dryRun: true })
    expect(results[writing.length]).toMatchObject({ denied: false, text: 'what is there' })
    expect(results.filter(({ denied }) => denied)).toHaveLength(2 * writing.length)
  })

  test('E-5 a tier runs its commands with bash, by whose grammar they are judged, although the user has another shell', async () => {
    const zsh = join(world().root, 'zsh')
    const mark = join(world().root, 'zsh-ran')
    writeFileSync(zsh, `#!/bin/sh\ntouch '${mark}'\nexec /bin/bash "$@"\n`, { mode: 0o755 })
    await world().restart({ agentEnv: { SHELL: zsh } })
    const { results } = await chain([bash('echo "$BASH"')])
    expect(results.map(({ text }) => text.trim())).toEqual(['/bin/bash'])
    expect(existsSync(mark)).toBe(false)
    const thread = await world().reprise.threads.create({ workDir: world().workDir })
    world().model.plan([bash('echo thread')])
    await thread.send('say it', { allowedTools: ['Bash'] }).result
    await world().restart()
    expect(existsSync(mark)).toBe(true)
  })

  /** What the agent program itself lets through, although the tier does not. */
  test.each<[string, Act, Policy]>([
    [
      'E-14 E-5 a forbidden command that ran and ended with an error',
      bash('{touch,PROOF}; false'),
      policy(['Bash'], ['Bash(touch:*)']),
    ],
    [
      'E-5 an allowed prefix with a flag that writes',
      bash('git diff --output=PROOF'),
      policy(['Bash(git diff:*)'], []),
    ],
    [
      'E-14 a forbidden command of a subagent',
      delegate(bash('{touch,PROOF}')),
      policy(['Bash', 'Task'], ['Bash(touch:*)']),
    ],
  ])('%s ends the run when the program did not ask us before', async (_, act, tight) => {
    execFileSync('git', ['init', '-q', world().workDir])
    await world().restart({ program: 'unguarded' })
    const { done } = await chain([act], { policy: tight })
    await world().restart()
    world().model.reset()
    expect(existsSync(join(world().workDir, 'PROOF'))).toBe(true)
    expect(done).toMatchObject({
      status: 'failed',
      because: { code: 'run-failed', class: 'policy-violation' },
    })
  })
}
