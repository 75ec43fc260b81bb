import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import type { QuestionEvent } from '../../core/run/events.ts'
import { answerLine, deferralSettings, parkedAnswer, parkingSettings } from './questions.ts'
import { createParser } from './stream/parser.ts'

const QUESTIONS = [
  {
    question: "Which one's best?",
    header: 'DB',
    multiSelect: true,
    options: [{ label: 'Postgres', description: 'p' }],
  },
]
const parse = (line: object) => createParser().parse(JSON.stringify(line))

describe('T-7 what Claude Code asks', () => {
  test('a permission comes as a control request', () => {
    const request = {
      subtype: 'can_use_tool',
      tool_name: 'Bash',
      input: { command: 'ls' },
      tool_use_id: 'toolu_1',
    }
    expect(parse({ type: 'control_request', request_id: 'r1', request })).toEqual([
      {
        type: 'question',
        toolUseId: 'toolu_1',
        kind: 'permission',
        tool: 'Bash',
        input: '{"command":"ls"}',
        items: [],
        rule: {
          kind: 'command',
          tool: 'Bash',
          value: 'ls',
          words: 'Bash commands that are exactly `ls`',
        },
        requestId: 'r1',
      },
    ])
  })

  test('a parked question comes with the result', () => {
    const deferred = { id: 'toolu_2', name: 'AskUserQuestion', input: { questions: QUESTIONS } }
    const result = { type: 'result', subtype: 'success', deferred_tool_use: deferred }
    expect(parse(result)).toMatchObject([
      { type: 'question', kind: 'question', items: QUESTIONS, requestId: null },
      { type: 'result', ok: true },
    ])
  })

  test('other control requests and odd ids are passed by as unknown', () => {
    expect(
      parse({ type: 'control_request', request_id: 'r', request: { subtype: 'x' } }),
    ).toMatchObject([{ type: 'unknown', kind: 'control_request' }])
    const request = { subtype: 'can_use_tool', tool_name: 'Bash', tool_use_id: "a'; rm -rf ~" }
    expect(parse({ type: 'control_request', request_id: 'r', request })).toMatchObject([
      { type: 'unknown' },
    ])
  })
})

describe('T-7 answers to Claude Code', () => {
  const asked: QuestionEvent = {
    type: 'question',
    toolUseId: 'toolu_1',
    kind: 'permission',
    tool: 'Bash',
    input: '{"command":"ls"}',
    items: [],
    requestId: 'r1',
  }
  const response = (line: string) => JSON.parse(line).response

  test('over stdin, with the input as it was asked for', () => {
    expect(response(answerLine(asked, { kind: 'allow' }))).toEqual({
      subtype: 'success',
      request_id: 'r1',
      response: { behavior: 'allow', updatedInput: { command: 'ls' } },
    })
    const refused = response(answerLine(asked, { kind: 'deny', message: 'no' }))
    expect(refused.response).toMatchObject({ behavior: 'deny', message: 'no' })
  })
})

describe('T-7a the hook that parks', () => {
  const root = mkdtempSync(join(tmpdir(), 'reprise-hook-'))
  afterAll(() => rmSync(root, { recursive: true }))
  const file = join(root, 'answer.json')
  const choices = {
    kind: 'choices',
    choices: { "Which one's best?": '$(touch x) `y` "z"' },
  } as const
  const asked = {
    toolUseId: 'toolu_2',
    kind: 'question' as const,
    tool: 'AskUserQuestion',
    input: JSON.stringify({ questions: QUESTIONS }),
    items: QUESTIONS,
  }
  writeFileSync(file, parkedAnswer(asked, choices))
  /** Runs the hook as Claude Code does: in a shell, with the call on stdin. */
  const run = (settings: string, toolUseId: string) => {
    const [{ matcher, hooks }] = JSON.parse(settings).hooks.PreToolUse
    expect(matcher).toBe('AskUserQuestion')
    const input = JSON.stringify({ tool_name: 'AskUserQuestion', tool_use_id: toolUseId })
    writeFileSync(join(root, 'call.json'), input)
    const command = `exec < call.json; ${hooks[0].command}`
    const output = execFileSync('/bin/sh', ['-c', command], { cwd: root })
    return JSON.parse(output.toString()).hookSpecificOutput
  }

  test('parks every question, and answers the named one with exactly the given answer', () => {
    expect(run(parkingSettings(null), 'toolu_2')).toMatchObject({ permissionDecision: 'defer' })
    const settings = parkingSettings({ toolUseId: 'toolu_2', file })
    expect(run(settings, 'toolu_3')).toMatchObject({ permissionDecision: 'defer' })
    expect(run(settings, 'toolu_20')).toMatchObject({ permissionDecision: 'defer' })
    expect(run(settings, 'toolu_2')).toEqual({
      hookEventName: 'PreToolUse',
      permissionDecision: 'allow',
      updatedInput: { questions: QUESTIONS, answers: choices.choices },
    })
  })

  test('holds no text of a user, and no path or id that a shell would not take as it is', () => {
    const settings = parkingSettings({ toolUseId: 'toolu_2', file })
    expect(settings).not.toContain('touch')
    const bad = { toolUseId: "x'y", file }
    expect(() => parkingSettings(bad)).toThrow(/cannot stand in a hook/)
    expect(() => parkingSettings({ toolUseId: 'a', file: "/it's" })).toThrow(/cannot stand/)
  })
})

test('E-10 hooks park whole tools and the beginnings of commands; nothing in them means something to a shell', () => {
  const settings = JSON.parse(
    deferralSettings({ tools: ['Write', 'Edit'], commands: ['docker restart', 'gh pr create'] }),
  )
  const [whole, bash] = settings.hooks.PreToolUse
  expect(whole.matcher).toBe('Write|Edit')
  expect(bash.matcher).toBe('Bash')
  const parks = (command: string) =>
    execFileSync('/bin/sh', ['-c', bash.hooks[0].command], {
      input: JSON.stringify({ tool_name: 'Bash', tool_input: { command, description: 'x' } }),
      encoding: 'utf8',
    })
  for (const command of [
    'docker restart web',
    'cd /srv && docker restart',
    'gh pr create --fill',
  ]) {
    expect(parks(command)).toContain('"defer"')
  }
  for (const command of ['docker ps', 'docker restarted', 'echo gh', 'gh pr list']) {
    expect(parks(command)).toBe('')
  }
  expect(() => deferralSettings({ tools: [], commands: ["x'; rm -rf /"] })).toThrow(/hook/)
})
