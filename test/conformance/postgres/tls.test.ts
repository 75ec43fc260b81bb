// A server that only lets in who speaks TLS, and a role without any special right.
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postgres } from '../../../src/store/postgres/postgres.ts'
import { sampleThread } from '../../../src/testing/store-conformance/samples.ts'
import { type Certificates, makeCertificates } from '../../postgres/certificates.ts'
import { type PostgresServer, startPostgres } from '../../postgres/server.ts'
import { runOn } from '../../postgres/shared.ts'

const PASSWORD = 's3cr3t/@:#word'

let directory = ''
let ours: Certificates
let others: Certificates
let server: PostgresServer

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'reprise-tls-'))
  ours = makeCertificates(join(directory, 'ours'))
  others = makeCertificates(join(directory, 'others'))
  server = await startPostgres(['ssl=on'], data => {
    const { uid, gid } = statSync(data)
    for (const [from, name] of [
      [ours.certificate, 'server.crt'],
      [ours.key, 'server.key'],
    ] as const) {
      copyFileSync(from, join(data, name))
      chownSync(join(data, name), uid, gid)
      chmodSync(join(data, name), 0o600)
    }
    const rules = [
      'host all postgres 127.0.0.1/32 trust',
      'hostssl all all 127.0.0.1/32 scram-sha-256',
    ]
    writeFileSync(join(data, 'pg_hba.conf'), `${rules.join('\n')}\n`)
  })
  await runOn(
    server.url,
    `create role plain login password '${PASSWORD}';
     alter role plain set search_path = public;
     create schema "reprise" authorization plain;
     create table public.threads (id integer)`,
  )
})

afterAll(async () => {
  await server.stop()
  rmSync(directory, { recursive: true, force: true })
})

type Parameters = Readonly<Record<string, string>>

function urlOf(parameters: Parameters, host = 'localhost'): string {
  const url = new URL(`postgres://plain@${host}:${server.port}/postgres`)
  url.password = encodeURIComponent(PASSWORD)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

async function encrypted(): Promise<unknown> {
  const [row] = await runOn(
    server.url,
    `select bool_and(ssl) as is_encrypted from pg_stat_ssl
     join pg_stat_activity using (pid) where usename = 'plain'`,
  )
  return row?.is_encrypted
}

describe('U-2 U-4 TLS', () => {
  test.each([
    ['require', false, '127.0.0.1'],
    ['require', true, '127.0.0.1'],
    ['verify-ca', true, '127.0.0.1'],
    ['verify-full', true, 'localhost'],
  ])(
    'with sslmode=%s, with a certificate of the authority: %s, at %s',
    async (sslmode, hasCa, host) => {
      const parameters = { sslmode, ...(hasCa && { sslrootcert: ours.ca }) }
      const own = { options: '-c search_path=public' }
      const store = await postgres(urlOf({ ...parameters, ...own }, host))()
      const thread = sampleThread()
      await store.createThread(thread, [])
      expect(await store.thread(thread.id)).toEqual(thread)
      expect(await encrypted()).toBe(true)
      expect(await store.verify()).toEqual([])
      await store.close()
      expect(await runOn(server.url, 'select * from public.threads')).toEqual([])
    },
  )

  const noTrust = ['store-unusable', 'there is no trusted connection'] as const
  test.each<[string, () => string, string, string]>([
    ['nothing about TLS', () => urlOf({}, '127.0.0.1'), ...noTrust],
    [
      'another authority',
      () => urlOf({ sslmode: 'verify-full', sslrootcert: others.ca }),
      ...noTrust,
    ],
    [
      'another authority, and require',
      () => urlOf({ sslmode: 'require', sslrootcert: others.ca }),
      ...noTrust,
    ],
    ['no authority that the system knows', () => urlOf({ sslmode: 'verify-full' }), ...noTrust],
    [
      'another name',
      () => urlOf({ sslmode: 'verify-full', sslrootcert: ours.ca }, '127.0.0.1'),
      ...noTrust,
    ],
    [
      'verify-ca without an authority',
      () => urlOf({ sslmode: 'verify-ca' }),
      'bad-config',
      'without sslrootcert',
    ],
    [
      'an unknown sslmode',
      () => urlOf({ sslmode: 'always' }),
      'bad-config',
      'sslmode that is not known: always',
    ],
    [
      'a missing file',
      () => urlOf({ sslmode: 'require', sslrootcert: '/nowhere.pem' }),
      'bad-config',
      'cannot be read: /nowhere.pem',
    ],
  ])('%s is refused with what to do, and without the password', async (_, url, code, words) => {
    const error: unknown = await postgres(url())().then(
      store => store.close(),
      (e: unknown) => e,
    )
    expect(error).toMatchObject({
      code,
      message: expect.stringContaining(words),
      hint: expect.stringMatching(/sslmode|sslrootcert|reprise doctor/),
    })
    const everything = inspect(error, { depth: 10, showHidden: true })
    expect(everything).not.toContain(PASSWORD)
    expect(everything).not.toContain(encodeURIComponent(PASSWORD))
  })
})
