// The law of the tree, as functions from sources to complaints: an empty list is a lawful tree.
import { codeOf, importsOf, ownImportsOf, type Source } from './imports.ts'

/** Who may import whom: a folder, or a file at the root → the folders and files it may use besides itself. */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  'errors.ts': [],
  'monotonic.ts': [],
  core: ['errors.ts'],
  shell: ['core'],
  adapters: ['errors.ts', 'core'],
  runner: ['errors.ts', 'monotonic.ts', 'core', 'adapters/adapter.ts'],
  store: ['errors.ts', 'monotonic.ts', 'core', 'adapters/adapter.ts'],
  engine: ['errors.ts', 'core', 'store/store.ts', 'store/work.ts'],
  vault: ['errors.ts', 'monotonic.ts', 'core', 'adapters/adapter.ts'],
  checkpoints: ['errors.ts', 'core', 'runner/git.ts'],
  'api-jobs.ts': ['core', 'store/store.ts'],
  'api-sessions.ts': ['core'],
  'api.ts': ['api-jobs.ts', 'api-sessions.ts', 'core', 'store/store.ts', 'store/job-verbs.ts'],
  flows: [
    'errors.ts',
    'api.ts',
    'core',
    'shell',
    'adapters/adapter.ts',
    'runner',
    'store/store.ts',
    'vault',
    'checkpoints',
    'engine/engine.ts',
  ],
  config: ['errors.ts', 'core'],
  'agent-sdk': ['errors.ts', 'core', 'adapters/adapter.ts', 'runner/runner.ts'],
  'reprise.ts': [
    'errors.ts',
    'api.ts',
    'agent-sdk',
    'core',
    'adapters',
    'runner',
    'store',
    'vault',
    'checkpoints',
    'engine',
    'flows',
  ],
  provider: ['errors.ts', 'api.ts', 'core'],
  daemon: [
    'errors.ts',
    'monotonic.ts',
    'api.ts',
    'core',
    'config',
    'runner/real-world.ts',
    'store/store.ts',
    'reprise.ts',
  ],
  client: [
    'errors.ts',
    'monotonic.ts',
    'api.ts',
    'core',
    'store/store.ts',
    'daemon/contract',
    'daemon/life/proof.ts',
  ],
  'index.ts': [
    'errors.ts',
    'api.ts',
    'core',
    'adapters',
    'runner',
    'store',
    'flows',
    'reprise.ts',
    'agent-sdk',
    'client',
    'provider',
  ],
  testing: ['errors.ts', 'core', 'adapters', 'runner', 'store', 'engine'],
  cli: [
    'errors.ts',
    'monotonic.ts',
    'api.ts',
    'core',
    'config',
    'runner/real-world.ts',
    'runner/sandbox',
    'store',
    'reprise.ts',
    'testing',
    'daemon',
    'client',
  ],
}

/** The runner starts agents. Besides it: fakes that others run, and the demo, which runs `reprise` itself. */
const MAY_START_PROCESSES = ['runner/', 'testing/', 'cli/demo/']

const MAX_LINES = 400

export function checkLayers(sources: readonly Source[]): readonly string[] {
  return production(sources).flatMap(source => {
    const part = partOf(source.path)
    const allowed = MAY_IMPORT[part]
    if (!allowed) return [`${source.path}: \`${part}\` is not in MAY_IMPORT`]
    return ownImportsOf(source)
      .filter(path => partOf(path) !== part && !allowed.some(place => isIn(path, place)))
      .map(path => `${source.path} must not import ${path}`)
  })
}

const IMPURE: readonly (readonly [RegExp, string])[] = [
  [/\basync\b|\bawait\b|\bPromise\s*[.(]/, 'waits'],
  [/\bDate\s*\.\s*now\b|\bnew\s+Date\s*\(\s*\)|\bperformance\b/, 'reads a clock'],
  [/\bMath\s*\.\s*random\b|\brandomUUID\b|\brandomBytes\b/, 'uses chance'],
  [/\bprocess\s*\.|\bglobalThis\b|\bfetch\s*\(|\bconsole\s*\./, 'touches the process'],
  [/\bset(?:Timeout|Interval|Immediate)\b|\bqueueMicrotask\b/, 'sets a timer'],
]

/** Not by an import, which would load it with every start. */
const HASHING = "process.getBuiltinModule('node:crypto').hash("

/** `core/` has no I/O, no clock, no chance, no waiting; hashing is fine. */
export function checkPurity(sources: readonly Source[]): readonly string[] {
  return production(sources)
    .filter(source => source.path.startsWith('core/'))
    .flatMap(source => {
      const foreign = importsOf(source).filter(name => !name.startsWith('.'))
      const code = codeOf({ ...source, text: source.text.replaceAll(HASHING, '') })
      return [
        ...foreign.map(name => `${source.path} is core and imports ${name}`),
        ...IMPURE.filter(([pattern]) => pattern.test(code)).map(
          ([, what]) => `${source.path} is core and ${what}`,
        ),
      ]
    })
}

export function checkProcesses(sources: readonly Source[]): readonly string[] {
  return production(sources)
    .filter(source => importsOf(source).some(name => /^(?:node:)?child_process$/.test(name)))
    .filter(source => !MAY_START_PROCESSES.some(folder => source.path.startsWith(folder)))
    .map(source => `${source.path} must not start processes`)
}

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

function production(sources: readonly Source[]): readonly Source[] {
  return sources.filter(source => !isTest(source.path))
}

function isTest(path: string): boolean {
  return path.endsWith('.test.ts')
}

function partOf(path: string): string {
  return path.split('/')[0] ?? path
}

function isIn(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`)
}
