// V-5: what docs/jobs.md says about the life of sessions and about other containers, asked of the real agents themselves.
import { spawn } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createHold,
  heldReply,
  lastTextOf,
  type ModelApi,
  type ModelRequest,
  realAgentEnv,
  requestTexts,
  startModelApi,
  textReply,
} from '../../../src/testing/index.ts'
import { ProgramDirectory, REAL_VERSIONS } from '../../scenarios/harness/program.ts'

const DOC = readFileSync(new URL('../../../docs/jobs.md', import.meta.url), 'utf8').replaceAll(
  /\s+/g,
  ' ',
)
const SESSION = '6f1c2a5e-0b57-4a53-9d0c-3a1b8a4c7d10'
/** Of a tenth of a second: three times as long as it takes. */
const MAX_TRIES = 300

for (const version of REAL_VERSIONS) {
  describe(`V-5 on ${version}`, () => {
    let root: string
    let api: ModelApi
    let program: string
    beforeAll(async () => {
      root = realpathSync(mkdtempSync(join(tmpdir(), 'reprise-open-')))
      api = await startModelApi()
      api.respond(echo)
      program = await new ProgramDirectory(root, version).path('usual')
    })
    afterAll(async () => {
      await api.close()
      rmSync(root, { recursive: true, force: true, maxRetries: 5 })
    })

    const place = (name: string) => {
      const path = join(root, name)
      mkdirSync(path, { recursive: true })
      return path
    }

    async function ask(prompt: string, where: { home: string; cwd: string; args: string[] }) {
      const before = api.turns.length
      const args = ['--print', '--output-format', 'json', '--model', 'claude-haiku-4-5']
      const child = spawn(program, [...args, ...where.args], {
        cwd: where.cwd,
        env: realAgentEnv({ api, home: where.home }),
        stdio: ['pipe', 'ignore', 'ignore'],
      })
      child.stdin.end(prompt)
      const code = await new Promise<number | null>(resolve => child.once('exit', resolve))
      return { code, requests: api.turns.slice(before) }
    }

    /** A session that knows one thing, in a container of its own. */
    async function begun(name: string) {
      const home = place(`${name}/home`)
      const cwd = place(`${name}/work`)
      await ask('the number is 7', { home, cwd, args: ['--session-id', SESSION] })
      const [folder = ''] = readdirSync(join(home, '.claude/projects'))
      return { home, cwd, file: join(home, '.claude/projects', folder, `${SESSION}.jsonl`) }
    }

    const texts = ({ requests }: { requests: readonly ModelRequest[] }) =>
      requests.length === 0 ? [] : requestTexts(requests.at(-1) as ModelRequest)

    test('files of 31 and 40 days are deleted by a run of ten seconds and more, one of 29 days is kept', async () => {
      expect(DOC).toContain('files of 31 and 40 days were gone, one of 29 days stayed')
      const { home, cwd, file } = await begun('retention')
      const aged = (days: number) => {
        const path = file.replace(SESSION, `${SESSION.slice(0, -2)}${days}`)
        copyFileSync(file, path)
        const seconds = Date.now() / 1_000 - days * 24 * 3_600
        utimesSync(path, seconds, seconds)
        return path
      }
      const [kept, late, later] = [aged(29), aged(31), aged(40)]
      const hold = createHold()
      api.respond(() => heldReply(hold, 'done'))
      const asked = ask('take your time', { home, cwd, args: [] })
      await hold.reached
      for (let tries = 0; tries < MAX_TRIES && existsSync(late); tries += 1) await sleep(100)
      hold.release()
      expect((await asked).code).toBe(0)
      api.respond(echo)
      expect([kept, late, later].map(existsSync)).toEqual([true, false, false])
    })

    test('its one file is enough in another container, in the folder of the same work dir', async () => {
      expect(DOC).toContain('The one file `<session id>.jsonl` is enough')
      const { cwd, file } = await begun('container')
      const home = place('container/other-home')
      const folder = file.split('/').at(-2) ?? ''
      mkdirSync(join(home, '.claude/projects', folder), { recursive: true })
      copyFileSync(file, join(home, '.claude/projects', folder, `${SESSION}.jsonl`))
      const resumed = await ask('which number?', { home, cwd, args: ['--resume', SESSION] })
      expect(resumed.code).toBe(0)
      expect(texts(resumed)).toEqual(['the number is 7', 'echo: the number is 7', 'which number?'])
    })

    test('in another work dir it is found only from 2.1.223 on, and the system prompt is another', async () => {
      expect(DOC).toContain('Before 2.1.223 the folder must fit the work dir')
      expect(DOC).toContain('the system prompt names the work dir')
      const { home, cwd } = await begun('elsewhere')
      const other = place('elsewhere/moved')
      writeFileSync(join(other, 'file.txt'), 'x')
      const before = await ask('again', { home, cwd, args: ['--resume', SESSION] })
      const moved = await ask('which number?', { home, cwd: other, args: ['--resume', SESSION] })
      const isFound = version !== '2.1.197'
      expect(moved.code === 0).toBe(isFound)
      expect(texts(moved).includes('the number is 7')).toBe(isFound)
      expect(JSON.stringify(before.requests.at(-1)?.body)).toContain(cwd)
      if (isFound) expect(JSON.stringify(moved.requests.at(-1)?.body)).toContain(other)
    })
  })
}

function echo(request: ModelRequest) {
  return textReply(`echo: ${lastTextOf(request)}`)
}
