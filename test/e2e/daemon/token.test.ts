import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { connectReprise } from '../../../src/client/connect.ts'
import { ServeWorld } from './serve-world.ts'

let world: ServeWorld
beforeEach(async () => {
  world = (await new ServeWorld().open()) as ServeWorld
})
afterEach(() => world.closeAll())

describe('reprise token', () => {
  test('S9 makes a token that may only read, for curl and for the library, until it is revoked', async () => {
    const { url } = await world.serve()
    const { token, id, scopes } = await world.json(['token', 'create', '--scope', 'read'])
    expect(scopes).toEqual(['read'])
    const { threadId } = await world.json(['send', 'hello'])
    const asReader = { authorization: `Bearer ${token}` }
    const path = `/api/threads/${threadId}`
    expect((await world.request(url, path, { headers: asReader })).status).toBe(200)
    const refused = await world.request(url, path, { method: 'DELETE', headers: asReader })
    expect([refused.status, await refused.json()]).toEqual([
      403,
      { error: expect.objectContaining({ hint: expect.stringContaining('submit') }) },
    ])
    const [line = ''] = world.log.split('\n').filter(text => text.includes('"DELETE"'))
    expect(JSON.parse(line)).toMatchObject({ by: id, via: 'tcp', status: 403 })
    const reader = connectReprise({ url, token })
    const thread = await reader.threads.get(threadId)
    expect((await thread.show()).messages).toHaveLength(2)
    await expect(thread.send('more').result).rejects.toThrow(/needs the scope submit/)
    await reader.close()

    expect(await world.list(['token'])).toMatchObject([{ id, scopes: ['read'], label: null }])
    await world.json(['token', 'revoke', id])
    expect((await world.request(url, path, { headers: asReader })).status).toBe(401)
    expect(await world.here(['token', 'revoke', id])).toMatchObject({ code: 3 })
  })

  test('rotates the main token under a running daemon', async () => {
    const { url } = await world.serve()
    const old = world.token
    expect(await world.run(['token', 'rotate'])).toMatchObject({ code: 0, out: '' })
    expect(world.token).not.toBe(old)
    const stale = { headers: { authorization: `Bearer ${old}` } }
    expect((await world.request(url, '/api/threads', stale)).status).toBe(401)
    expect((await world.request(url, '/api/threads')).status).toBe(200)
    // Through the daemon: it proves itself with the new one.
    const sent = await world.run(['send', 'hello'])
    expect([sent.code, sent.err]).toEqual([0, expect.not.stringContaining('warning')])
    expect(world.log).toContain('/turns')
  })

  test.each([
    [['token', 'create'], 'scope'],
    [['token', 'create', '--scope', 'all'], 'read, submit, approve, admin'],
    [['token', 'create', '--scope', ''], 'read, submit, approve, admin'],
    [['token', 'revoke'], 'token'],
  ])('%j is wrong use', async (args, words) => {
    expect(await world.here(args)).toMatchObject({
      code: 2,
      err: expect.stringContaining(words),
    })
  })
})
