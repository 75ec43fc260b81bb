// S17: a program that runs a tool outside its tier although the flags forbid it. It is ended there and then, every time.
import { existsSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Chain } from '../../src/index.ts'
import { countOf } from '../counts.ts'
import { opsPolicy } from '../scenarios/chains/chains.ts'
import { type Act, call, fake, verdict } from '../scenarios/harness/acts.ts'
import type { Harness } from '../scenarios/harness/harness.ts'
import type { Kind } from '../scenarios/harness/program.ts'
import { useHarness } from '../scenarios/threads/threads.ts'

const RUNS = countOf('REPRISE_VIOLATIONS', { usual: 10, storm: 100 })
const AT_ONCE = 5

/** What tier 1 must not do, done all the same. */
const OUTSIDE: readonly (readonly Act[])[] = [
  [fake({ type: 'tool', name: 'Write', input: { file_path: 'x', content: 'y' }, denied: false })],
  [fake({ type: 'tool', name: 'Edit', input: { file_path: 'x' }, denied: false })],
  [call('Bash', { command: 'true; sudo docker restart web' }, 'restarted')],
  [call('Bash', { command: 'ansible-playbook site.yml' }, 'played')],
  [call('Deploy', { to: 'all' }, 'deployed')],
  [call('Bash', { command: '{rm,-rf,x}' }, 'removed')],
  [call('Bash', { command: 'echo "$(/bin/rm -rf x)"' }, 'removed')],
  [
    fake({
      type: 'tool',
      name: 'Bash',
      input: { command: 'rm -rf x; false' },
      result: 'Exit code 1',
      isError: true,
    }),
  ],
]

const KINDS: readonly Kind[] = ['fake', 'fake 2.1.197']

describe.each(KINDS)('S17 on %s', kind => {
  const world = useHarness(kind)
  const runs = Math.ceil(RUNS / KINDS.length)

  test(`S17 E-5 ${runs} of ${runs} runs that leave their tier are ended by us, and do nothing after it`, async () => {
    const gate = world().path('gate')
    const after = world().path('after')
    const ended: Chain[] = []
    while (ended.length < runs) {
      const batch = Math.min(AT_ONCE, runs - ended.length)
      ended.push(
        ...(await Promise.all(range(batch).map(at => violating(world(), { at, gate, after })))),
      )
    }
    for (const chain of ended) expectEnded(chain)
    // A process that were still alive would go on now.
    writeFileSync(gate, '')
    const left = ended.flatMap(({ runs: [run] }) => world().processesOf(run?.id ?? ''))
    expect(left).toEqual([])
    expect(existsSync(after)).toBe(false)
    expect(await world().reprise.verify()).toEqual([])
  })
})

/** It waits after the call: only from outside can it be ended before it does more. */
function violating(
  { model, reprise, workDir }: Harness,
  { at, gate, after }: { at: number; gate: string; after: string },
): Promise<Chain> {
  model.plan([
    ...(OUTSIDE[at % OUTSIDE.length] ?? []),
    fake({ type: 'waitForFile', path: gate }),
    fake({ type: 'sideEffect', appendFile: after, line: 'went on' }),
    verdict('escalate', { reason: 'more' }),
  ])
  return reprise.chains.start({ policy: opsPolicy(), prompt: 'check', workDir }).result
}

function expectEnded(chain: Chain): void {
  expect(chain).toMatchObject({
    status: 'failed',
    tier: 1,
    because: { code: 'run-failed', class: 'policy-violation' },
  })
  expect(chain.runs).toMatchObject([
    {
      status: 'failed',
      failure: { class: 'policy-violation' },
      exit: { endedBy: 'policy-violation' },
    },
  ])
}

const range = (length: number) => Array.from({ length }, (_, at) => at)
