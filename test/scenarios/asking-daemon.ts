// Questions over HTTP: asked, answered, answered after `kill -9` of the daemon; on the fake agent and on the real ones.
import { existsSync, readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Question } from '../../src/core/question.ts'
import type { Run } from '../../src/core/run.ts'
import { type DaemonProcess, eventually, ServeWorld } from '../e2e/serve-world.ts'
import { askPermission, askUser, say } from './acts.ts'
import { fakeModel, type Model, realModel } from './model.ts'
import { isReal, type Kind, ProgramDirectory } from './program.ts'

const WHICH = 'Which database?'

export function askingDaemonScenarios(kind: Kind): void {
  describe(`a daemon whose agent asks, on ${kind}`, () => {
    let world: ServeWorld
    let model: Model
    let daemon: DaemonProcess
    let threadId: string

    beforeEach(async () => {
      world = (await new ServeWorld().open()) as ServeWorld
      model = isReal(kind) ? await realModel(world.root) : fakeModel(world.root)
      const executable = await new ProgramDirectory(world.root, kind).path('usual')
      const env = { ...model.env, CLAUDE_CONFIG_DIR: world.path('agent') }
      world.writeConfig(JSON.stringify({ agents: { 'claude-code': { executable, env } } }))
      daemon = await world.serve()
      threadId = (await ask('POST', '/api/threads', { workDir: world.workDir })).body.id
    })
    afterEach(async () => {
      await world.closeAll()
      await model.close()
    })

    // biome-ignore lint/suspicious/noExplicitAny: what a test looks into has no type yet
    type Answer = { readonly status: number; readonly body: any }
    const ask = async (method: string, path: string, body?: object): Promise<Answer> => {
      const answer = await world.request(daemon.url, path, {
        method,
        ...(body && {
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json' },
        }),
      })
      return { status: answer.status, body: await answer.json() }
    }
    const run = async (id: string): Promise<Run> => (await ask('GET', `/api/runs/${id}`)).body
    const send = async (prompt: string): Promise<string> => {
      const { status, body } = await ask('POST', `/api/threads/${threadId}/turns`, { prompt })
      expect(status).toBe(202)
      return body.runId
    }
    const openQuestion = async (runId: string): Promise<Question> => {
      await eventually(async () => (await run(runId)).status === 'waiting')
      return (await ask('GET', `/api/runs/${runId}/questions`)).body.items[0]
    }
    const reply = (runId: string, body: object) =>
      ask('POST', `/api/runs/${runId}/tool-result`, body)
    const ended = async (runId: string): Promise<Run> => {
      await eventually(async () => (await run(runId)).endedAt !== null)
      return run(runId)
    }
    const killAndRestart = async (): Promise<void> => {
      daemon.signal('SIGKILL')
      await daemon.end
      daemon = await world.serve()
    }
    const lines = (path: string) =>
      existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []

    test('T-7 T-7a a question is answered by another daemon than the one that asked, in the same call', async () => {
      await ended(await send('remember the heron'))
      model.plan([askUser(WHICH, ['Postgres', 'SQLite'])])
      const runId = await send('set it up')
      const { toolUseId, state } = await openQuestion(runId)
      expect(state).toBe('open')
      await killAndRestart()
      expect((await run(runId)).status).toBe('waiting')
      const open = await ask('GET', '/api/questions?state=open')
      expect(open.body.items).toMatchObject([{ runId, toolUseId, items: [{ question: WHICH }] }])
      model.plan([say('done')])
      const answered = await reply(runId, { toolUseId, content: 'Postgres' })
      expect(answered).toMatchObject({ status: 200, body: { id: runId, status: 'completed' } })
      const next = await ended(answered.body.continuedBy)
      expect(next).toMatchObject({ status: 'completed', decision: { action: 'resume' } })
      const got = await model.everything(next.id)
      expect(got).toContain('Your questions have been answered')
      expect(got).toContain('remember the heron')
      expect(got.split('set it up')).toHaveLength(2)
      const { messages } = (await ask('GET', `/api/threads/${threadId}`)).body
      expect(messages.at(-1).text).toBe('done')
    })

    test('T-7 a permission is asked for live; after kill -9 it is kept, restated, and asked only once', async () => {
      const file = world.path('kept')
      model.plan([askPermission(file, 'a line'), say('written')])
      const runId = await send('write it')
      const { toolUseId, kind: asked } = await openQuestion(runId)
      expect(asked).toBe('permission')
      await killAndRestart()
      await eventually(async () => {
        const { items } = (await ask('GET', `/api/runs/${runId}/questions`)).body
        return items[0].delivery === 'restated'
      })
      expect(world.agentProcesses()).toEqual([])
      model.reset()
      model.plan([askPermission(file, 'a line'), say('written')])
      const answered = await reply(runId, { toolUseId, allow: true })
      expect(answered).toMatchObject({ status: 200, body: { status: 'interrupted' } })
      expect(await ended(answered.body.continuedBy)).toMatchObject({ status: 'completed' })
      expect(lines(file)).toEqual(['a line'])
    })

    test('T-7 what is wrong, late or for others is refused with 409 and a hint', async () => {
      model.plan([askUser(WHICH, ['Postgres', 'SQLite'])])
      const runId = await send('set it up')
      const { toolUseId } = await openQuestion(runId)
      const wrong = [
        { toolUseId: 'toolu_other', content: 'x' },
        { toolUseId, allow: true },
        { toolUseId, content: { 'Which colour?': 'red' } },
        { toolUseId, content: '' },
      ]
      for (const body of wrong) {
        const refused = await reply(runId, body)
        expect(refused).toMatchObject({
          status: 409,
          body: { error: { code: 'conflict', hint: expect.stringMatching(/\w/) } },
        })
      }
      for (const body of [{}, { toolUseId }, { toolUseId, content: 'x', allow: true }]) {
        expect((await reply(runId, body)).status).toBe(400)
      }
      expect((await reply('run_aaaaaaaaaaaaaaaa', { toolUseId, content: 'x' })).status).toBe(404)
      model.plan([say('ok')])
      const answered = await reply(runId, { toolUseId, content: 'Postgres' })
      await ended(answered.body.continuedBy)
      expect((await reply(runId, { toolUseId, content: 'SQLite' })).status).toBe(409)
    })
  })
}
