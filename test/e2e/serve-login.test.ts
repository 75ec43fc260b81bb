import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createToken } from '../../src/daemon/process/token-records.ts'
import { ServeWorld } from './serve-world.ts'

let world: ServeWorld
beforeEach(async () => {
  world = (await new ServeWorld().open()) as ServeWorld
})
afterEach(() => world.closeAll())

const visit = (url: string, headers: Record<string, string> = {}) =>
  fetch(url, { redirect: 'manual', headers })

describe('reprise login', () => {
  test('S7 prints an address that works once; the code and the token are in no log', async () => {
    const { url, signal, end } = await world.serve()
    const { out } = await world.run(['login'])
    const address = out.trim()
    expect(address).toMatch(new RegExp(`^${url}/login\\?code=[\\w-]{43}$`))
    const first = await visit(address)
    expect(first.status).toBe(303)
    const cookie = first.headers.get('set-cookie')?.split(';')[0] ?? ''
    expect((await visit(`${url}/`, { cookie })).status).toBe(200)
    expect((await visit(address)).status).toBe(401)
    signal('SIGTERM')
    const { err } = await end
    // The daemon prints one of its own when it starts.
    const [own = ''] = /http\S+code=\S+/.exec(err) ?? []
    expect(own).toContain(url)
    for (const secret of [address, own].map(text => text.split('code=')[1] ?? '?')) {
      expect(world.log).not.toContain(secret)
    }
    expect(world.log).not.toContain(world.token)
    expect(world.log).not.toContain(cookie.split('=')[1] ?? '?')
  })

  test('S7 ends with the main token, and with the daemon', async () => {
    const { url } = await world.serve()
    const { url: address } = await world.json(['login'])
    const cookie = (await visit(address)).headers.get('set-cookie')?.split(';')[0] ?? ''
    expect((await visit(`${url}/`, { cookie })).status).toBe(200)
    await world.run(['token', 'rotate'])
    expect((await visit(`${url}/`, { cookie })).status).toBe(401)
  })

  test('S7 signs a browser in also where a token that may not do so is in the environment', async () => {
    const { url } = await world.serve()
    const made = { label: 'a test', scopes: ['read', 'submit', 'approve'] } as const
    const { token } = createToken(world.home, made)
    const { out } = await world.run(['login'], { env: { REPRISE_TOKEN: token } })
    expect((await visit(out.trim())).status).toBe(303)
    expect(out).toContain(url)
  })

  test('says so when there is no daemon', async () => {
    expect(await world.run(['login'])).toMatchObject({
      code: 70,
      err: expect.stringContaining('reprise serve'),
    })
  })
})
