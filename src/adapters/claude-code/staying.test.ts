import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { RUN_SPEC, RUNTIME } from '../../../test/run-spec.ts'
import { bookCost } from '../../core/money/ledger.ts'
import { newObservation, observe } from '../../core/run/observe.ts'
import type { DialogueStep, RunSpec, Runtime } from '../adapter.ts'
import { claudeCodeAdapter } from './index.ts'
import { quirksOf } from './quirks.ts'
import { startFiles } from './staying.ts'

const RECORDINGS = join(import.meta.dirname, '../../../test/recordings/claude-code')
const VERSIONS = ['2.1.197', '2.1.325'] as const

const runtimeOf = (version: string, quirks: readonly string[] = quirksOf(version)): Runtime => ({
  ...RUNTIME,
  version,
  quirks,
})
const SPEC: RunSpec = {
  ...RUN_SPEC,
  continuation: { kind: 'resume', sessionId: 's' },
  prompt: 'one',
  stays: true,
}
const open = (version: string, change: Partial<RunSpec> = {}) =>
  claudeCodeAdapter.open({ ...SPEC, ...change }, runtimeOf(version)).dialogue

/** The recorded turns of one process: each is a list of lines, from its first to its result. */
function recordedTurns(version: string): readonly (readonly string[])[] {
  const text = readFileSync(join(RECORDINGS, version, 'several-turns.jsonl'), 'utf8')
  const turns: string[][] = [[]]
  for (const line of text.trim().split('\n')) {
    turns.at(-1)?.push(line)
    if (line.includes('"type":"result"')) turns.push([])
  }
  return turns.filter(lines => lines.length > 0)
}

const ending = ({ close, rests }: DialogueStep) => ({ close, rests })
const RESULT = JSON.stringify({ type: 'result', subtype: 'success', is_error: false })

describe.each(VERSIONS)('a process of %s that stays', version => {
  test('W-1 takes a second turn: the session is named again, and each turn has its own text, calls and cost', () => {
    const dialogue = open(version)
    expect(dialogue.begin().close).toBeUndefined()
    let totalUsd = 0
    const turns = recordedTurns(version).map((lines, index) => {
      if (index > 0) expect(JSON.parse(dialogue.next?.('two').write[0] ?? '')).toBeTruthy()
      const observation = newObservation()
      const steps = lines.map(line => dialogue.read(line))
      for (const event of steps.flatMap(({ events }) => events)) observe(observation, event)
      const total = observation.lastResult?.totalCostUsd ?? 0
      const { costUsd } = bookCost({
        meaning: 'session',
        totalUsd: total,
        sinceLastUsd: observation.sinceLastCostUsd,
        baselineUsd: totalUsd,
        expectedUsd: null,
        isBrokenOff: false,
      })
      totalUsd = total
      return { observation, costUsd, last: ending(steps.at(-1) ?? { events: [], write: [] }) }
    })
    expect(turns.map(({ observation }) => observation.text)).toEqual(['first', 'second'])
    expect(turns.map(({ observation }) => observation.toolsRan)).toEqual([0, 1])
    for (const { observation, last } of turns) {
      expect(observation.announcedSessionId).toBe('00000000-0000-4000-8000-000000000001')
      expect(observation.version).toBe(version)
      expect(last).toEqual({ close: undefined, rests: true })
    }
    const sum = turns.reduce((all, { costUsd }) => all + (costUsd ?? Number.NaN), 0)
    expect(sum).toBeCloseTo(totalUsd, 10)
  })

  test('W-1 answers whether it listens, and that is no event', () => {
    const dialogue = open(version)
    const answers = recordedTurns(version)
      .flat()
      .map(line => dialogue.read(line))
      .filter(step => step.listens)
    expect(answers).toEqual([{ events: [], write: [], listens: true }])
    expect(dialogue.read('{"type":"assistant","text":"reprise-listens"}').listens).toBeUndefined()
  })
})

describe('W-1 a process does not stay', () => {
  const toolLine = (name: string, input: object = {}) =>
    JSON.stringify({
      type: 'assistant',
      message: { id: 'm', model: 'x', content: [{ type: 'tool_use', id: 't', name, input }] },
      parent_tool_use_id: null,
      uuid: 'u',
    })
  const system = (subtype: string) => JSON.stringify({ type: 'system', subtype })
  const result = (change: object) => JSON.stringify({ ...JSON.parse(RESULT), ...change })

  test.each([
    ['its turn failed', [result({ is_error: true })]],
    ['it parked a call', [result({ terminal_reason: 'tool_deferred' })]],
    [
      'a command goes on in the background',
      [toolLine('Bash', { command: 'x', run_in_background: true }), RESULT],
    ],
    ['a task has started', [system('task_started'), RESULT]],
    ['a subagent worked in it', [toolLine('Task'), RESULT]],
    ['its mode may have changed', [toolLine('ExitPlanMode'), RESULT]],
    ['it may stand in another directory', [toolLine('EnterWorktree'), RESULT]],
    ['its shell may', [toolLine('Bash', { command: 'cd sub && make' }), RESULT]],
    ['a tool ran that nobody knows', [toolLine('mcp__files__read'), RESULT]],
    ['it went on with another model', [system('model_fallback'), RESULT]],
    ['it compacted its context', [system('compact_boundary'), RESULT]],
  ])('when %s', (_, lines) => {
    const dialogue = open('2.1.325')
    const steps = lines.map(line => dialogue.read(line))
    expect(ending(steps.at(-1) ?? { events: [], write: [] })).toEqual({ close: true })
    // What speaks against it holds for the whole process.
    dialogue.next?.('again')
    expect(ending(dialogue.read(RESULT))).toEqual({ close: true })
  })

  test('when nobody wants it to', () => {
    const { stays: _, ...spec } = SPEC
    const { dialogue } = claudeCodeAdapter.open(spec, runtimeOf('2.1.325'))
    expect(ending(dialogue.read(RESULT))).toEqual({ close: true })
  })

  test('but commands, reads and edits do not speak against it', () => {
    const dialogue = open('2.1.325')
    for (const name of ['Bash', 'Read', 'Edit', 'Write', 'Grep']) dialogue.read(toolLine(name))
    expect(ending(dialogue.read(RESULT))).toEqual({ rests: true })
  })
})

describe('W-1 which programs can stay', () => {
  const { stay } = claudeCodeAdapter
  test.each([
    ['2.1.197', quirksOf('2.1.197'), true],
    ['2.1.325', quirksOf('2.1.325'), true],
    ['2.1.100', quirksOf('2.1.100'), false],
    ['2.1.325', ['one-turn'], false],
    ['2.1.325', ['look-alike'], false],
  ])('%s with %j: %s', (version, quirks, can) => {
    expect(stay?.canStay(runtimeOf(version, quirks))).toBe(can)
  })

  test('the files that a new process would read are those of the project, of all above it, and of the user', () => {
    const files = startFiles({ workDir: '/a/b', env: { HOME: '/home/u' } })
    expect(files).toEqual(
      expect.arrayContaining([
        ...['/a/b/CLAUDE.md', '/a/CLAUDE.md', '/CLAUDE.md', '/a/b/.mcp.json'],
        ...['/a/b/.claude/settings.local.json', '/home/u/.claude/settings.json'],
      ]),
    )
    const env = { HOME: '/home/u', CLAUDE_CONFIG_DIR: '/config' }
    const other = startFiles({ workDir: '/a', env })
    expect(other).toContain('/config/settings.json')
    expect(other).not.toContain('/home/u/.claude/settings.json')
  })
})
