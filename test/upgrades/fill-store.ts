// Fills a store as the code of some version does: node fill-store.ts <source folder of that version> <file>. Prints the store's version.
import { createHash } from 'node:crypto'
import { pathToFileURL } from 'node:url'
import Database from 'better-sqlite3'

/** Of an older version: what it exports is only known at run time. */
type Loaded = Record<string, (...args: readonly unknown[]) => Loose>
// biome-ignore lint/suspicious/noExplicitAny: the types of code that is not in this tree
type Loose = any

const [source = '', file = ''] = process.argv.slice(2)
const load = (path: string): Promise<Loaded> => import(pathToFileURL(`${source}/${path}`).href)

const { claudeCode, createReprise, sqlite } = (await load('index.ts')) as Loaded
const { createFakeRunner, memoryExecutable } = (await load('testing/fake-runner.ts')) as Loaded
const { memoryFiles } = (await load('testing/memory-files.ts')) as Loaded

const files = memoryFiles?.()
await files.write('/bin/agent', memoryExecutable?.())
await files.makeDirectory('/project')
const script = [
  { when: 'list', do: [{ type: 'tool', name: 'Bash', input: { command: 'ls' }, result: 'a.txt' }] },
  { when: 'fail', do: [{ type: 'exit', code: 1, withoutResult: true }] },
]
const runner = createFakeRunner?.({ files, script })
const keepText = async (text: string) => {
  const path = `/kept/${createHash('sha256').update(text).digest('hex')}`
  await files.write(path, text)
  return path
}
const env = { CLAUDE_CONFIG_DIR: '/config' }
const reprise = createReprise?.({
  store: sqlite?.(file),
  agents: [claudeCode?.({ executable: '/bin/agent', env })],
  environment: {},
  parts: { runner, files, keepText },
  dependencies: { runner, files, keepText },
})
const thread = await reprise.threads.create({ workDir: '/project', title: 'an old conversation' })
await thread.send('the first message').result
await thread.send('list the files').result
await thread.send('and a third, with ünïcödé and "quotes"').result
const { messages } = await thread.show()
await thread.edit(messages.at(-2).id, 'the third message, edited')
const other = await reprise.threads.create({ workDir: '/project' })
await other.send('fail, please').result.catch(() => {})
// Kept in the queue: nobody works on jobs here.
await reprise.jobs?.submit({ prompt: 'an old job', workDir: '/project', checkpoints: 'off' })
await reprise.close()

const database = new Database(file)
// One file without a WAL beside it.
database.pragma('journal_mode = delete')
database.exec('vacuum')
console.log(database.pragma('user_version', { simple: true }))
database.close()
