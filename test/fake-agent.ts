// The fake agent as one program that Node starts several times as fast as its sources.
import { mkdtempSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { probeAnswers } from '../src/testing/fake-agent/behaviour.ts'
import { fakeAgentExecutable } from '../src/testing/fake-agent/executable.ts'

type Options = { readonly name?: string; readonly version?: string }

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const SOURCE = pathOf('../src/testing/fake-agent/main.ts')
const BUILT = pathOf('../dist/testing/fake-agent/main.cjs')

/** As `npm run build` has made it. */
export async function builtFakeAgent(directory: string, options: Options = {}): Promise<string> {
  const path = await fakeAgentExecutable(directory, { ...options, program: BUILT })
  const [shebang, ...rest] = (await readFile(path, 'utf8')).split('\n')
  await writeFile(path, [shebang, answersToProbes(options), ...rest].join('\n'))
  return path
}

/**
 * Reprise probes every program that it has not seen before. The shell answers at once, and no Node has to start
 * for it. Some tests give the agent a PATH without `cat`.
 */
function answersToProbes({ version: named }: Options): string {
  const { version, help } = probeAnswers(named === undefined ? {} : { FAKE_AGENT_VERSION: named })
  return [
    'if [ -z "$FAKE_AGENT_VERSION$FAKE_AGENT_HELP" ]; then',
    '  case "$*" in',
    `    --version) echo '${version}'; exit ;;`,
    `    --help) /bin/cat <<'END_OF_HELP'`,
    help,
    'END_OF_HELP',
    '      exit ;;',
    '  esac',
    'fi',
  ].join('\n')
}

let bundled: Promise<string> | undefined

/** From its sources as they are now, for tests that run without a build. */
export async function bundledFakeAgent(directory: string, options: Options = {}): Promise<string> {
  bundled ??= bundle()
  return fakeAgentExecutable(directory, { ...options, program: await bundled })
}

async function bundle(): Promise<string> {
  const file = join(mkdtempSync(join(tmpdir(), 'fake-agent-')), 'main.cjs')
  const build = await rolldown({ input: SOURCE, platform: 'node', external: /^node:/ })
  await build.write({ file, format: 'cjs' })
  await build.close()
  return file
}
