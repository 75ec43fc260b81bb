import { readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ScriptStep } from '../../../src/testing/fake-agent/script.ts'
import { type DaemonProcess, ServeWorld } from './serve-world.ts'

const POLICY = readFileSync(new URL('../../../policies/ops.yaml', import.meta.url), 'utf8')
  .replaceAll(/cooldownMs: \d+/g, 'cooldownMs: 0')
  .replace('  - name: safe remediation', '  - approval: ask\n    name: safe remediation')

const says = (verdict: string): readonly ScriptStep[] => [
  { type: 'verdict', output: { verdict, summary: verdict, reason: 'as it is' } },
]

let world: ServeWorld
beforeEach(async () => {
  world = (await new ServeWorld().open()) as ServeWorld
  const file = world.path('ops.yaml')
  writeFileSync(file, POLICY)
  world.config({ policies: { ops: file } })
  world.script([
    { when: 'tier 1 of 3', do: [...says('escalate')] },
    { when: 'tier 2 of 3', do: [...says('resolved')] },
  ])
})
afterEach(() => world.closeAll())

const heldChain = async () => {
  const { out } = await world.here(['escalate', '-p', 'ops', 'check', '--json'])
  const chain = JSON.parse(out)
  expect(chain.status).toBe('held')
  return String(chain.id)
}
const status = async (id: string) => (await world.json(['chains', 'show', id])).status

describe.each(['without a daemon', 'through the daemon'])('E-13 S19 an approval %s', how => {
  let daemon: DaemonProcess | null
  beforeEach(async () => {
    daemon = how === 'through the daemon' ? await world.serve() : null
  })

  test('needs a terminal, or a token that is not in the data directory', async () => {
    const id = await heldChain()
    const refused = await world.run(['chains', 'approve', id])
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('no terminal') })
    expect(refused.err).toContain('reprise token create')
    // What an agent without a sandbox can read does not help it.
    if (daemon) {
      const stolen = { env: { REPRISE_TOKEN: world.token } }
      expect(await world.here(['chains', 'approve', id], stolen)).toMatchObject({ code: 2 })
    }
    const made = await world.run(['token', 'create', '--scope', 'read,approve'])
    expect(made).toMatchObject({ code: 2, err: expect.stringContaining('no terminal') })
    expect(await status(id)).toBe('held')
    writeFileSync(world.path('kept'), world.approveToken)
    const file = ['--token-file', world.path('kept')]
    const done = await world.run([...file, 'chains', 'approve', id, '--json'])
    expect([done.code, JSON.parse(done.out).status]).toEqual([0, 'resolved'])
  })
})

test('E-13 S9 over HTTP the token of the data directory lets no chain in or on, and no browser that it has signed in does', async () => {
  const { url } = await world.serve()
  const id = await heldChain()
  const post = async (path: string, token: string) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    return world.request(url, path, { method: 'POST', body: '{}', headers })
  }
  const { path: login } = JSON.parse(await (await post('/api/logins', world.token)).text())
  const signedIn = await fetch(`${url}${login}`, { redirect: 'manual' })
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
  const key = signedIn.headers.get('location')?.split('csrf=')[1] ?? ''
  const asBrowser = { cookie, 'x-reprise-csrf': key, 'content-type': 'application/json' }
  for (const path of [`/api/chains/${id}/approve`, `/api/chains/${id}/continue`]) {
    const page = await world.request(url, path, { method: 'POST', body: '{}', headers: asBrowser })
    expect([page.status, await page.text()]).toEqual([
      403,
      expect.stringContaining('a person has to'),
    ])
    const answer = await post(path, world.token)
    expect([answer.status, await answer.json()]).toEqual([
      403,
      { error: expect.objectContaining({ message: expect.stringContaining('a person has to') }) },
    ])
  }
  expect(await status(id)).toBe('held')
  expect((await post(`/api/chains/${id}/approve`, world.approveToken)).status).toBe(202)
})
