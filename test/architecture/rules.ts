// The law of the tree, as functions from sources to complaints: an empty list is a lawful tree.
import { codeOf, importsOf, ownImportsOf, type Source } from './imports.ts'
import type { Rooms } from './rooms.ts'

/** The runner starts agents. Besides it: fakes that others run, the demo, which runs `reprise` itself, browser and editor. */
const MAY_START_PROCESSES = [
  'runner/',
  'testing/',
  'cli/demo/',
  'cli/open/open-browser.ts',
  'cli/open/open-editor.ts',
]

const MAX_LINES = 400

/** Every file stands in a room, and imports only its own layer and what the layer may import. */
export function checkLayers(sources: readonly Source[], rooms: Rooms): readonly string[] {
  return production(sources).flatMap(source => {
    const layer = layerOf(source.path, rooms)
    if (layer === null) return [`${source.path} stands in no room of src/README.md`]
    return foreignImports(source, rooms)
      .filter(path => !permissionFor(path, layer, rooms))
      .map(path => `${source.path} must not import ${path}`)
  })
}

/** A permission that nobody uses is a door that somebody will take. */
export function checkPermissions(sources: readonly Source[], rooms: Rooms): readonly string[] {
  const used = new Set(
    production(sources).flatMap(source => {
      const layer = layerOf(source.path, rooms) ?? ''
      return foreignImports(source, rooms).map(
        path => `${layer} → ${permissionFor(path, layer, rooms)}`,
      )
    }),
  )
  return [...rooms.mayImport].flatMap(([layer, places]) =>
    places
      .filter(place => !used.has(`${layer} → ${place}`))
      .map(place => `${layer} may import ${place}, and nobody there does`),
  )
}

const MAX_FILES = 20

/** No room is too full to find one's way in, and each names a file to begin with. */
export function checkRooms(sources: readonly Source[], { rooms }: Rooms): readonly string[] {
  const paths = production(sources).map(source => source.path)
  return rooms.flatMap(({ path, openFirst }) => {
    if (path.endsWith('.ts')) return paths.includes(path) ? [] : [`there is no ${path}`]
    // Migrations are found by their numbers, however many there are.
    const files = paths.filter(file => folderOf(file) === path && !/\/\d{3}-[^/]+$/.test(file))
    const complaints: string[] = []
    if (files.length > MAX_FILES) complaints.push(`${path} holds ${files.length} files`)
    if (openFirst === null || !paths.includes(`${path}/${openFirst}`)) {
      complaints.push(`${path} has no first file ${openFirst}`)
    }
    return complaints
  })
}

function foreignImports(source: Source, rooms: Rooms): readonly string[] {
  const layer = layerOf(source.path, rooms)
  return ownImportsOf(source).filter(path => layerOf(path, rooms) !== layer)
}

/** The narrowest place that lets it in. */
function permissionFor(path: string, layer: string, { mayImport }: Rooms): string | null {
  const places = (mayImport.get(layer) ?? []).filter(place => isIn(path, place))
  return places.sort((a, b) => b.length - a.length)[0] ?? null
}

function layerOf(path: string, { rooms }: Rooms): string | null {
  return rooms.find(room => room.path === path || room.path === folderOf(path))?.layer ?? null
}

function folderOf(path: string): string {
  return path.split('/').slice(0, -1).join('/')
}

const IMPURE: readonly (readonly [RegExp, string])[] = [
  [/\basync\b|\bawait\b|\bPromise\s*[.(]/, 'waits'],
  [/\bDate\s*\.\s*now\b|\bnew\s+Date\s*\(\s*\)|\bperformance\b/, 'reads a clock'],
  [/\bMath\s*\.\s*random\b|\brandomUUID\b|\brandomBytes\b/, 'uses chance'],
  [/\bprocess\s*\.|\bglobalThis\b|\bfetch\s*\(|\bconsole\s*\./, 'touches the process'],
  [/\bset(?:Timeout|Interval|Immediate)\b|\bqueueMicrotask\b/, 'sets a timer'],
]

/** Message identity needs a hash: this one file of core may import this one module of Node. */
const HASHING = { file: 'core/hash-text.ts', module: 'node:crypto' }

/** `core/` has no I/O, no clock, no chance, no waiting, and imports nothing from outside but what `HASHING` says. */
export function checkPurity(sources: readonly Source[]): readonly string[] {
  return production(sources)
    .filter(source => source.path.startsWith('core/'))
    .flatMap(source => {
      const foreign = importsOf(source).filter(
        name => !name.startsWith('.') && !mayHash(source, name),
      )
      const code = codeOf(source)
      return [
        ...foreign.map(name => `${source.path} is core and imports ${name}`),
        ...IMPURE.filter(([pattern]) => pattern.test(code)).map(
          ([, what]) => `${source.path} is core and ${what}`,
        ),
      ]
    })
}

function mayHash({ path }: Source, module: string): boolean {
  return path === HASHING.file && module === HASHING.module
}

export function checkProcesses(sources: readonly Source[]): readonly string[] {
  return production(sources)
    .filter(source => importsOf(source).some(name => /^(?:node:)?child_process$/.test(name)))
    .filter(source => !MAY_START_PROCESSES.some(folder => source.path.startsWith(folder)))
    .map(source => `${source.path} must not start processes`)
}

/** A shell would read values of users as code: processes get a list of arguments. */
export function checkShells(sources: readonly Source[]): readonly string[] {
  return production(sources)
    .filter(source => SHELLS.some(pattern => pattern.test(source.text)))
    .map(source => `${source.path} runs a line of text through a shell`)
}

const SHELLS = [
  /\bimport [^']*\bexec(?:Sync)?\b[^']* from '(?:node:)?child_process'/,
  /\bshell: (?!false\b)/,
]

export function checkCycles(sources: readonly Source[]): readonly string[] {
  const graph = new Map(sources.map(source => [source.path, ownImportsOf(source)]))
  const done = new Set<string>()
  const complaints: string[] = []
  const visit = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path)
    if (at !== -1) {
      complaints.push(`import cycle: ${[...trail.slice(at), path].join(' → ')}`)
      return
    }
    if (done.has(path)) return
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path])
    done.add(path)
  }
  for (const path of graph.keys()) visit(path, [])
  return complaints
}

export function checkForm(sources: readonly Source[]): readonly string[] {
  return sources.flatMap(source => {
    const complaints: string[] = []
    const lines = source.text.split('\n').length - 1
    if (lines > MAX_LINES) complaints.push(`${source.path} has ${lines} lines, over ${MAX_LINES}`)
    if (/\bexport\s+default\b/.test(codeOf(source))) {
      complaints.push(`${source.path} has a default export`)
    }
    if (/(?:^|[/.-])(?:utils?|helpers?|common|managers?|services?)(?=[/.-])/i.test(source.path)) {
      complaints.push(`${source.path}: the name says nothing about what it is for`)
    }
    if (!isTest(source.path) && !source.text.startsWith('// ')) {
      complaints.push(`${source.path}: the first line must say what the file is for`)
    }
    return complaints
  })
}

const EXPORTED =
  /^export (?:declare )?(?:abstract )?(?:type|interface|const|let|class|(?:async )?function\*?) (\w+)/gm

/**
 * A name that two files export has two meanings. A file that passes on what another one declares does not count. Adapters give the
 * parts of the contract the same names, each in its own folder.
 */
export function checkNames(sources: readonly Source[]): readonly string[] {
  const homes = new Map<string, Set<string>>()
  for (const { path, text } of production(sources)) {
    for (const [, name = ''] of text.matchAll(EXPORTED)) {
      homes.set(name, (homes.get(name) ?? new Set()).add(path))
    }
  }
  return [...homes]
    .filter(([, paths]) => paths.size > 1 && !areOfAdapters([...paths]))
    .map(([name, paths]) => `${name} is declared in ${[...paths].sort().join(' and ')}`)
}

function areOfAdapters(paths: readonly string[]): boolean {
  const folders = paths.map(path => /^adapters\/[^/]+\//.exec(path)?.[0] ?? null)
  return !folders.includes(null) && new Set(folders).size === paths.length
}

/** The adapters that own words, and words that nobody else uses: tools, permission modes, stop reasons, messages, files and variables of agents. */
const WORDS_OF_AGENTS: readonly (readonly [readonly string[], RegExp])[] = [
  [
    ['claude-code'],
    /\b(?:tool_deferred|acceptEdits|dontAsk|bypassPermissions|AskUserQuestion|PreToolUse|CronCreate|ANTHROPIC_\w+|CLAUDE_\w+)\b|CLAUDE\.md|\.claude\/|\[1m\]|session\.jsonl|\b(?:tool_use|tool_result|stop_reason)\b/,
  ],
  // As a whole text, or at the beginning of a rule, in any quotes.
  [
    ['claude-code'],
    /(["'`])(?:Bash|Write|Edit|Read|Grep|Task|WebFetch|WebSearch|TodoWrite|MultiEdit|NotebookEdit)(?:\1|\()/,
  ],
  [
    ['codex'],
    /\b(?:thread\.started|command_execution|workspace-write|danger-full-access|CODEX_\w+|AGENTS\.md)\b|\.codex\/|\brollout-/,
  ],
  [
    ['pi'],
    /\b(?:all-tools|agent_settled|message_end|tool_execution_start|PI_[A-Z]\w+)\b|\.pi\/|--session-dir/,
  ],
  [
    ['acp'],
    /\bsession\/(?:new|load|prompt|update|cancel|set_\w+|request_permission)\b|\b(?:allow_once|reject_once|agent_message_chunk|allow-edits|allow-all)\b|\bopencode\.json\b|\b(?:OPENCODE|GEMINI|QWEN|COPILOT|KIMI)_\w+/,
  ],
  [['claude-code', 'acp'], /\bend_turn\b/],
  // Code that compares the name of an agent knows something of that agent.
  [
    [],
    /(?:[!=]==? ?|\bcase )(["'`])(?:claude-code|codex|pi|opencode|gemini|qwen|copilot|kimi|codex-acp|claude-agent-acp|pi-acp)\1/,
  ],
]

/** Where they may stand besides, and why. */
const MAY_USE_WORDS: readonly (readonly [string, string])[] = [
  ['testing/', 'plays a program that behaves like Claude Code, or speaks to real programs'],
  ['cli/demo/', 'tells a story with the fake agent'],
  ['daemon/contract/', 'shows examples of what agents do'],
  ['core/run/permission-mode.ts', 'names the words that editors complete'],
  ['core/calls/tool-call.ts', 'puts stored calls of any agent into words for people'],
  ['agent-sdk/', 'is the Agent SDK of Claude Code'],
  ['provider/', 'speaks in messages of the Messages API'],
  ['vault/archive.ts', 'writes calls as messages of the Messages API do'],
  ['config/policy-schema.ts', 'gives examples of rules in an error'],
]

/** Nothing outside an adapter knows a tool, a mode, a stop reason, a file or a variable of its agent. Comments may give examples. */
export function checkAgentWords(sources: readonly Source[]): readonly string[] {
  return production(sources)
    .filter(({ path }) => !MAY_USE_WORDS.some(([place]) => path.startsWith(place)))
    .flatMap(({ path, text }) =>
      WORDS_OF_AGENTS.filter(
        ([owners]) => !owners.some(one => path.startsWith(`adapters/${one}/`)),
      ).flatMap(([owners, words]) => {
        const [word] = words.exec(withoutComments(text)) ?? []
        if (word === undefined) return []
        return [`${path} knows ${word}${owners.length > 0 ? ` of ${owners.join(' and ')}` : ''}`]
      }),
    )
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
}

function production(sources: readonly Source[]): readonly Source[] {
  return sources.filter(source => !isTest(source.path))
}

function isTest(path: string): boolean {
  return path.endsWith('.test.ts')
}

function isIn(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`)
}

/** Where the table of the engine's work may be named: its verbs, what puts them together, and the schema. */
const WORK_TABLE_HOMES: ReadonlySet<string> = new Set([
  'store/verbs/work/dispatches.ts',
  'store/verbs/work/open-transaction.ts',
  'store/sql-store.ts',
  'store/sql/schema.ts',
  'store/sql/migrations/005-jobs.ts',
  'store/sql/migrations/019-lanes.ts',
])

/** Another engine has tables of its own, so no other verb of the store may read or write this one. */
export function checkWorkTable(sources: readonly Source[]): readonly string[] {
  return production(sources)
    .filter(({ path, text }) => /\bdispatches\b/.test(text) && !WORK_TABLE_HOMES.has(path))
    .map(({ path }) => `${path} names the table of the engine's work`)
}
