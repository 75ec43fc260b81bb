import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DemoStep } from '../../../src/cli/demo/page.ts'
import { CliWorld, type Ended } from './cli-world.ts'

let world: CliWorld
let steps: readonly DemoStep[]
let text: Ended
/** For these demos alone: other tests show demos at the same time. */
const temporary = mkdtempSync(join(tmpdir(), 'demos-'))
beforeAll(async () => {
  world = await new CliWorld().open()
  const env = { TMPDIR: temporary }
  const { code, out } = await world.run(['demo', '--json'], { env })
  expect(code).toBe(0)
  steps = JSON.parse(out).steps
  text = await world.run(['demo'], { env })
})
afterAll(() => {
  world.close()
  rmSync(temporary, { recursive: true })
})

test('demo walks through a chat: start, resume, an edit, and a fork where history changed', async () => {
  const chat = steps.filter(({ part }) => part === 'chat')
  expect(chat.map(({ decision }) => decision)).toEqual(['start', 'resume', null, 'fork'])
  expect(text).toMatchObject({ code: 0, err: '' })
  expect(text.out).toContain('$ reprise why run_')
  expect(text.out).toMatch(/✗ history-shared [^✓]*←\s+this\s+decided/)
})

test('E-8 demo escalates through three tiers, each in a copy of the session below, each with its bill', async () => {
  const chain = steps.find(({ part }) => part === 'escalation')
  expect(chain?.runs).toMatchObject([
    { tier: 1, decision: 'start', status: 'completed' },
    { tier: 2, decision: 'fork', status: 'completed' },
    { tier: 3, decision: 'fork', status: 'completed' },
  ])
  const costs = chain?.runs.map(({ costUsd }) => costUsd ?? 0) ?? []
  expect(Math.min(...costs)).toBeGreaterThan(0)
  const rows = text.out.match(/^ +[123] +claude-\S+ +(start|fork) +(escalate|resolved) .*$/gm) ?? []
  expect(rows).toHaveLength(3)
  expect(rows.map(dollars)).toEqual(costs.map(rounded))
  expect(dollars(/total .*: resolved/.exec(text.out)?.[0] ?? '')).toBe(rounded(sum(costs)))
})

test('J-2 demo kills the daemon in the middle of a job, which goes on in the same session', async () => {
  const [killed, job] = steps.filter(({ part }) => part === 'job')
  expect(killed?.command).toContain('jobs submit')
  expect(job?.runs).toMatchObject([
    { attempt: 1, decision: 'start', status: 'interrupted' },
    { attempt: 2, decision: 'resume', status: 'completed' },
  ])
  const costs = job?.runs.map(({ costUsd }) => costUsd ?? 0) ?? []
  expect(dollars(/total .*: completed/.exec(text.out)?.[0] ?? '')).toBe(rounded(sum(costs)))
  expect(text.out).toContain('interrupted: supervisor-died')
})

test('demo leaves nothing behind: no directory, no process, nothing in the user’s own store', async () => {
  expect(readdirSync(temporary)).toEqual([])
  expect(processesOfDemos()).toEqual([])
  for (const verb of ['threads', 'chains', 'jobs'] as const)
    expect(await world.list([verb])).toEqual([])
})

test('no line of the demo is wider than the widest page', async () => {
  expect(text.out.split('\n').filter(line => Array.from(line).length > 116)).toEqual([])
})

const sum = (amounts: readonly number[]) => amounts.reduce((all, some) => all + some, 0)
const rounded = (amount: number) => Number(amount.toFixed(4))
const dollars = (line: string) => Number(/\$(\d+\.\d+)/.exec(line)?.[1])

function processesOfDemos(): readonly string[] {
  return readdirSync('/proc').filter(pid => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(
        join(temporary, 'reprise-demo-'),
      )
    } catch {
      return false // Gone meanwhile, or no process.
    }
  })
}
