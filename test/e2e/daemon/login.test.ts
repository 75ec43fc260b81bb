import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createToken } from '../../../src/daemon/process/token-records.ts'
import { appears, type ServeWorld, useDaemon, useServeWorlds } from './serve-world.ts'

let world: ServeWorld
const take = (opened: ServeWorld) => {
  world = opened
}

const visit = (url: string, headers: Record<string, string> = {}) =>
  fetch(url, { redirect: 'manual', headers })

describe('reprise login', () => {
  useServeWorlds(take)

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
    await world.here(['token', 'rotate'])
    expect((await visit(`${url}/`, { cookie })).status).toBe(401)
  })

  test('says so when there is no daemon', async () => {
    expect(await world.here(['login'])).toMatchObject({
      code: 70,
      err: expect.stringContaining('reprise serve'),
    })
  })
})

describe('reprise login to one daemon', () => {
  const daemon = useDaemon(take)

  test('S7 signs a browser in also where a token that may not do so is in the environment', async () => {
    const { url } = daemon()
    const made = { label: 'a test', scopes: ['read', 'submit', 'approve'] } as const
    const { token } = createToken(world.home, made)
    const { out } = await world.here(['login'], { env: { REPRISE_TOKEN: token } })
    expect((await visit(out.trim())).status).toBe(303)
    expect(out).toContain(url)
  })

  test('S9 --scope read signs a browser in that may only look', async () => {
    const { url } = daemon()
    const { url: address } = await world.json(['login', '--scope', 'read'])
    const signedIn = await visit(address)
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
    const key = signedIn.headers.get('location')?.replace('/#csrf=', '') ?? ''
    const headers = { cookie, 'x-reprise-csrf': key, 'content-type': 'application/json' }
    expect(await (await fetch(`${url}/api/me`, { headers })).json()).toMatchObject({
      name: 'browser',
      scopes: ['read'],
    })
    const refused = await world.here(['login', '--scope', 'read,admin'])
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('`admin` is not')])
  })

  test('--open gives the address to the opener of the system, and prints nothing', async () => {
    const { url } = daemon()
    const [bin, opened] = [world.path('bin-with-opener'), world.path('opened')]
    mkdirSync(bin)
    const opener = join(bin, process.platform === 'darwin' ? 'open' : 'xdg-open')
    writeFileSync(
      opener,
      `#!/bin/sh\nprintf %s "$1" > ${opened}.part && mv ${opened}.part ${opened}\n`,
      {
        mode: 0o755,
      },
    )
    const env = { PATH: `${bin}:${process.env.PATH}` }
    expect(await world.run(['login', '--open'], { env })).toMatchObject({ code: 0, out: '' })
    await appears(opened)
    const address = readFileSync(opened, 'utf8')
    expect(address).toMatch(new RegExp(`^${url}/login\\?code=[\\w-]{43}$`))
    expect((await visit(address)).status).toBe(303)
  })

  test('--open prints the address where there is no opener', async () => {
    const bin = world.path('bin-without-opener')
    mkdirSync(bin)
    // Only what the launcher needs.
    for (const name of ['sh', 'env', 'readlink', 'dirname', 'basename', 'uname', 'head', 'tr']) {
      const found = (process.env.PATH ?? '').split(':').map(dir => join(dir, name))
      const target = found.find(existsSync)
      if (target) symlinkSync(target, join(bin, name))
    }
    symlinkSync(process.execPath, join(bin, 'node'))
    const { code, out, err } = await world.run(['login', '--open'], { env: { PATH: bin } })
    expect([code, err]).toEqual([0, expect.stringContaining('no browser was found')])
    expect((await visit(out.trim())).status).toBe(303)
  })
})
