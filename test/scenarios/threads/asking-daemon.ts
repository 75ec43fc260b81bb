// Questions over HTTP: asked, answered, answered after `kill -9` of the daemon; on the fake agent and on the real ones.
import { existsSync, readFileSync } from 'node:fs'
import { beforeEach, describe, expect, test } from 'vitest'
import type { ThreadDetails } from '../../../src/api.ts'
import type { Question } from '../../../src/core/conversation/question.ts'
import type { Run } from '../../../src/core/run/run.ts'
import type { RunEvent } from '../../../src/core/run/run-events.ts'
import { eventually } from '../../e2e/daemon/serve-world.ts'
import { askPermission, askUser, say } from '../harness/acts.ts'
import { useDaemon } from '../harness/daemon-world.ts'
import type { Kind } from '../harness/program.ts'

const WHICH = 'Which database?'

export function askingDaemonScenarios(kind: Kind): void {
  describe(`a daemon whose agent asks, on ${kind}`, () => {
    const current = useDaemon(kind)
    let threadId: string
    beforeEach(async () => {
      const { body } = await ask<{ id: string }>('POST', '/api/threads', {
        workDir: current().world.workDir,
      })
      threadId = body.id
    })

    type Answer<Body> = { readonly status: number; readonly body: Body }
    const ask = async <Body>(
      method: string,
      path: string,
      body?: object,
    ): Promise<Answer<Body>> => {
      const { world, daemon } = current()
      const answer = await world.request(daemon.url, path, {
        method,
        headers: {
          authorization: `Bearer ${world.approveToken}`,
          accept: 'application/json',
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      })
      return { status: answer.status, body: (await answer.json()) as Body }
    }
    type Page<Item> = { readonly items: readonly Item[] }
    const questionsOf = async (runId: string): Promise<readonly Question[]> =>
      (await ask<Page<Question>>('GET', `/api/runs/${runId}/questions`)).body.items
    const run = async (id: string): Promise<Run> => (await ask<Run>('GET', `/api/runs/${id}`)).body
    const send = async (prompt: string): Promise<string> => {
      const turns = `/api/threads/${threadId}/turns`
      const { status, body } = await ask<{ runId: string }>('POST', turns, { prompt })
      expect(status).toBe(202)
      return body.runId
    }
    const openQuestion = async (runId: string): Promise<Question> => {
      await eventually(async () => (await run(runId)).status === 'waiting')
      const [question] = await questionsOf(runId)
      if (question) return question
      throw new Error(`run ${runId} asks nothing`)
    }
    const reply = (runId: string, body: object) =>
      ask<Run>('POST', `/api/runs/${runId}/tool-result`, body)
    const ended = async (runId: string): Promise<Run> => {
      await eventually(async () => (await run(runId)).endedAt !== null)
      return run(runId)
    }
    const killAndRestart = async (): Promise<void> => {
      const { daemon, world } = current()
      daemon.signal('SIGKILL')
      await daemon.end
      current().daemon = await world.serve()
    }
    const lines = (path: string) =>
      existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []

    test('T-7 T-7a a question is answered by another daemon than the one that asked, in the same call', async () => {
      const { model } = current()
      await ended(await send('remember the heron'))
      model.plan([askUser(WHICH, ['Postgres', 'SQLite'])])
      const runId = await send('set it up')
      const { toolUseId, state } = await openQuestion(runId)
      expect(state).toBe('open')
      await killAndRestart()
      expect((await run(runId)).status).toBe('waiting')
      const open = await ask<Page<Question>>('GET', '/api/questions?state=open')
      expect(open.body.items).toMatchObject([{ runId, toolUseId, items: [{ question: WHICH }] }])
      model.plan([say('done')])
      const answered = await reply(runId, { toolUseId, content: 'Postgres' })
      expect(answered).toMatchObject({ status: 200, body: { id: runId, status: 'completed' } })
      const next = await ended(answered.body.continuedBy ?? '')
      expect(next).toMatchObject({ status: 'completed', decision: { action: 'resume' } })
      const got = await model.everything(next.id)
      expect(got).toContain('Your questions have been answered')
      expect(got).toContain('remember the heron')
      expect(got.split('set it up')).toHaveLength(2)
      const { messages } = (await ask<ThreadDetails>('GET', `/api/threads/${threadId}`)).body
      expect(messages.at(-1)?.text).toBe('done')
    })

    test('T-7 a permission is asked for live; after kill -9 it is kept, restated, and asked only once', async () => {
      const { model, world } = current()
      const file = world.path('kept')
      model.plan([askPermission(file, 'a line'), say('written')])
      const runId = await send('write it')
      const { toolUseId, kind: asked } = await openQuestion(runId)
      expect(asked).toBe('permission')
      await killAndRestart()
      await eventually(async () => {
        const [question] = await questionsOf(runId)
        return question?.delivery === 'restated'
      })
      expect(world.agentProcesses()).toEqual([])
      model.reset()
      model.plan([askPermission(file, 'a line'), say('written')])
      const answered = await reply(runId, { toolUseId, allow: true })
      expect(answered).toMatchObject({ status: 200, body: { status: 'interrupted' } })
      expect(await ended(answered.body.continuedBy ?? '')).toMatchObject({ status: 'completed' })
      expect(lines(file)).toEqual(['a line'])
    })

    test('T-7 a permission for the run is given over HTTP, and its answers are in the log of the run', async () => {
      const { model, world } = current()
      const file = world.path('for-run')
      const same = askPermission(file, 'a line')
      model.plan([same, same, say('written')])
      const runId = await send('write it twice')
      const { toolUseId, rule } = await openQuestion(runId)
      expect(rule?.words).toBe(`Bash commands that are exactly \`echo a line >> ${file}\``)
      const wrong = [
        { toolUseId, allow: false, for: 'run' },
        { toolUseId, allow: true, for: 'ever' },
        { toolUseId, for: 'run' },
      ]
      for (const body of wrong) expect((await reply(runId, body)).status).toBe(400)
      expect((await reply(runId, { toolUseId, allow: true, for: 'run' })).status).toBe(200)
      expect(await ended(runId)).toMatchObject({ status: 'completed' })
      expect(lines(file)).toEqual(['a line', 'a line'])
      const { items } = (await ask<Page<RunEvent>>('GET', `/api/runs/${runId}/events`)).body
      const answers = items.filter(event => event.type === 'answer')
      expect(answers).toMatchObject([
        { id: toolUseId, answer: { kind: 'allow', forRun: { rule, by: 'user' } } },
        { state: 'answered', answer: { kind: 'allow', forRun: { rule, by: 'rule' } } },
      ])
      expect(await questionsOf(runId)).toHaveLength(1)
    })

    test('T-7 what is wrong, late or for others is refused with 409 and a hint', async () => {
      const { model } = current()
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
      await ended(answered.body.continuedBy ?? '')
      expect((await reply(runId, { toolUseId, content: 'SQLite' })).status).toBe(409)
    })
  })
}
