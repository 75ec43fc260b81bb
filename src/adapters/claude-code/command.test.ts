import { describe, expect, test } from 'vitest'
import { RUN_SPEC, RUNTIME } from '../../../test/run-spec.ts'
import type { RunSpec, Runtime } from '../adapter.ts'
import { claudeCodeAdapter } from './index.ts'
import { quirksOf } from './quirks.ts'

const ID = '11111111-1111-4111-8111-111111111111'
const NEW_ID = '22222222-2222-4222-8222-222222222222'
const ANCHOR = '33333333-3333-4333-8333-333333333333'

const runtime = (version: string): Runtime => ({
  ...RUNTIME,
  executable: '/opt/claude',
  version,
  quirks: quirksOf(version),
})

const SPEC: RunSpec = {
  ...RUN_SPEC,
  continuation: { kind: 'new', sessionId: NEW_ID },
  prompt: '/clear @secret.txt\nsecond line',
  workDir: '/home/dev/proj',
  model: 'claude-opus-4-8[1m]',
  permissionMode: 'acceptEdits',
  env: { HOME: '/home/dev' },
}

const build = (change: Partial<RunSpec> = {}, version = '2.1.325') =>
  claudeCodeAdapter.open({ ...SPEC, ...change }, runtime(version)).command

const firstWords = (change: Partial<RunSpec> = {}, version = '2.1.325') =>
  claudeCodeAdapter
    .open({ ...SPEC, ...change }, runtime(version))
    .dialogue.begin()
    .write.join('')

const stdin = (version: string): unknown => JSON.parse(firstWords({}, version))

describe('the command line', () => {
  const usual = [
    ...['--print', '--output-format', 'stream-json', '--verbose', '--include-partial-messages'],
    ...['--input-format', 'stream-json'],
    ...['--model', 'claude-opus-4-8[1m]', '--permission-mode', 'acceptEdits'],
  ]

  test('C-5 of a new session names the id we chose', () => {
    const { file, args, env, workDir } = build()
    expect({ file, env, workDir }).toEqual({
      file: '/opt/claude',
      env: { HOME: '/home/dev' },
      workDir: '/home/dev/proj',
    })
    expect(args).toEqual([...usual, '--session-id', NEW_ID])
  })

  test('T-1 of a resume names the session and no new id', () => {
    const { args } = build({ continuation: { kind: 'resume', sessionId: ID } })
    expect(args).toEqual([...usual, '--resume', ID])
  })

  test('T-4 of a fork names where to cut and the id of the new session', () => {
    const { args } = build({
      continuation: { kind: 'fork', from: ID, at: ANCHOR, sessionId: NEW_ID },
    })
    expect(args).toEqual([
      ...usual,
      ...['--resume', ID, '--fork-session', '--session-id', NEW_ID],
      ...['--resume-session-at', ANCHOR],
    ])
  })

  test('T-8 of a resume or a fork sets the current instructions where the version records the first ones', () => {
    const recording = { ...runtime('2.1.325'), quirks: ['system-prompt-recorded'] }
    const of = (continuation: RunSpec['continuation']) =>
      claudeCodeAdapter.open({ ...SPEC, continuation }, recording).command.args
    const off = ['--system-prompt-snapshot', 'off']
    expect(of({ kind: 'resume', sessionId: ID }).slice(-2)).toEqual(off)
    expect(of({ kind: 'fork', from: ID, at: null, sessionId: NEW_ID }).slice(-2)).toEqual(off)
    expect(of({ kind: 'new', sessionId: NEW_ID })).not.toContain(off[0])
  })

  test('has one argument per tool rule, spaces and all', () => {
    const { args } = build({
      allowedTools: ['Read', 'Bash(docker restart:*)'],
      disallowedTools: ['Bash(rm *)', 'mcp__files__write'],
      instructionsFile: '/home/dev/i.md',
    })
    expect(args.slice(-6)).toEqual([
      '--allowedTools=Read',
      '--allowedTools=Bash(docker restart:*)',
      '--disallowedTools=Bash(rm *)',
      '--disallowedTools=mcp__files__write',
      '--append-system-prompt-file',
      '/home/dev/i.md',
    ])
  })
})

describe('H-1 the prompt', () => {
  test('is marked as not to be searched where the version understands the mark', () => {
    expect(stdin('2.1.325')).toEqual({
      type: 'user',
      message: { role: 'user', content: SPEC.prompt },
      client_composed: true,
    })
  })

  test('is not the last block where the last one is searched', () => {
    const content = [
      { type: 'text', text: SPEC.prompt },
      { type: 'text', text: ' ' },
    ]
    expect(stdin('2.1.197')).toEqual({ type: 'user', message: { role: 'user', content } })
  })

  test('is one line, whatever is in it', () => {
    const prompt = 'a\nb\r\nc\u2028d\u0000e\uD800f'
    const text = firstWords({ prompt })
    expect(text.endsWith('\n')).toBe(true)
    expect(text.slice(0, -1)).not.toContain('\n')
    expect(JSON.parse(text).message.content).toBe(prompt)
  })

  test.each(['', ' ', '\n\t'])('that is blank (%j) is refused', prompt => {
    expect(() => build({ prompt })).toThrowError(/blank/)
  })
})

test.each<[string, Partial<RunSpec>]>([
  ['a mode that is none', { permissionMode: 'yolo' }],
  ['a model that looks like a flag', { model: '--settings={}' }],
  ['a tool with a line break', { allowedTools: ['Bash\n--model'] }],
  ['a tool with a line break in its limits', { allowedTools: ['Bash(a\nb)'] }],
  ['a tool that looks like a flag', { disallowedTools: ['-p'] }],
  ['a session id with a blank', { continuation: { kind: 'resume', sessionId: 'a b' } }],
  ['a chosen id that is no uuid', { continuation: { kind: 'new', sessionId: 'abc' } }],
  ['a relative file', { instructionsFile: 'i.md' }],
])('S12 refuses %s', (_, change) => {
  expect(() => build(change)).toThrowError(
    expect.objectContaining({ code: 'bad-input', hint: expect.stringMatching(/^Use /) }),
  )
})

describe('S13 the environment an agent takes over', () => {
  const takesOver = (name: string) =>
    claudeCodeAdapter.passEnv.some(rule =>
      rule.endsWith('*') ? name.startsWith(rule.slice(0, -1)) : rule === name,
    )

  test.each(['PATH', 'HOME', 'LC_ALL', 'ANTHROPIC_API_KEY', 'CLAUDE_CONFIG_DIR', 'https_proxy'])(
    'has %s',
    name => expect(takesOver(name)).toBe(true),
  )

  test.each([
    'CLAUDECODE',
    'CLAUDE_CODE_SESSION_ID',
    'CLAUDE_CODE_CHILD_SESSION',
    'NODE_OPTIONS',
    'LD_PRELOAD',
    'DATABASE_URL',
  ])('does not have %s', name => expect(takesOver(name)).toBe(false))
})

describe('E-15 E-12 outputs that were cut', () => {
  test.each(['none', 'user', 'project'] as const)(
    'can be read with trust %s, and their directory is not one of the work dirs',
    trust => {
      const { args } = build({ trust, outputsDirs: ['/data dir/outputs/thr_1'] })
      expect(args).toContain('--allowedTools=Read(//data dir/outputs/thr_1/**)')
      expect(args.join(' ')).not.toContain('--add-dir')
    },
  )

  test.each(['*', '?', '[', '{', '!', '(', ')', '\\', '\n'])(
    'are not allowed in a directory whose name has %j, which a rule would read as more than a name',
    character => {
      const { args } = build({ outputsDirs: [`/data${character}/outputs/thr_1`] })
      expect(args.join(' ')).not.toContain('Read')
    },
  )

  test('are not allowed in a directory that is relative, which a rule would look for in the work dir', () => {
    expect(build({ outputsDirs: ['data/outputs/thr_1'] }).args.join(' ')).not.toContain('Read')
  })
})

describe('E-12 S16 trust', () => {
  test.each(['2.1.197', '2.1.325'])(
    'none keeps all settings out of %s, on a new session, a resume and a fork alike',
    version => {
      for (const continuation of [
        { kind: 'new', sessionId: NEW_ID },
        { kind: 'resume', sessionId: ID },
        { kind: 'fork', from: ID, sessionId: NEW_ID, at: ANCHOR },
      ] as const) {
        const { args, env } = build({ continuation, trust: 'none', contextDir: '/data/c' }, version)
        expect(args.slice(-3)).toEqual([
          '--setting-sources=',
          '--strict-mcp-config',
          '--add-dir=/data/c',
        ])
        expect(env).toEqual({
          HOME: '/home/dev',
          CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: '1',
          CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS: '1',
          GIT_CONFIG_COUNT: '1',
          GIT_CONFIG_KEY_0: 'core.fsmonitor',
          GIT_CONFIG_VALUE_0: 'false',
        })
      }
    },
  )

  test('user leaves out the settings of the repository, and adds to the git settings of the user', () => {
    const git = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'a.b', GIT_CONFIG_VALUE_0: 'c' }
    const { args, env } = build({ trust: 'user', env: git })
    expect(args.at(-1)).toBe('--setting-sources=user')
    expect(env).toMatchObject({ ...git, GIT_CONFIG_COUNT: '2', GIT_CONFIG_KEY_1: 'core.fsmonitor' })
  })

  test('project adds nothing', () => {
    expect(build().args.join(' ')).not.toMatch(/setting-sources|mcp|add-dir/)
    expect(build().env).toEqual({ HOME: '/home/dev' })
  })

  test('a version without the flags is refused with the reason', () => {
    const old = { ...runtime('2.1.197'), quirks: ['no-setting-sources'] }
    const asked = () => claudeCodeAdapter.open({ ...SPEC, trust: 'none' }, old)
    expect(asked).toThrow(
      expect.objectContaining({
        code: 'agent-unusable',
        message: expect.stringContaining('--setting-sources'),
      }),
    )
    expect(() => claudeCodeAdapter.open(SPEC, old)).not.toThrow()
  })
})
