// Files that somebody made to do harm, or that were damaged on their way. None of them may change anything.
import { gzipSync } from 'node:zlib'
import { packTar, type TarEntry } from 'modern-tar'
import { makeKey, signText } from '../../src/thread-file/signing.ts'
import {
  BRANCH,
  EVENT,
  type Forging,
  forge,
  type Part,
  PROMPT,
  parts,
  RUN,
  SESSION,
  SESSION_RECORD,
  THREAD,
  withList,
} from './sample-file.ts'

export type HostileFile = {
  readonly name: string
  readonly make: () => Uint8Array | Promise<Uint8Array>
  readonly code?: 'too-large'
}

const MB = 1024 * 1024

const tar = (...entries: readonly TarEntry[]) => packTar([...entries])
const file = (name: string, pax?: Record<string, string>): TarEntry => ({
  header: { name, size: 4, type: 'file', ...(pax && { pax }) },
  body: 'evil',
})
const link = (type: 'symlink' | 'link', linkname: string): TarEntry => ({
  header: { name: 'notes', size: 0, type, linkname },
})
const device: TarEntry = { header: { name: 'null', size: 0, type: 'character-device' } }

/** A ZIP with one stored file: enough for every program that reads them. */
function zip(name: string): Buffer {
  const head = Buffer.alloc(30)
  head.write('PK\x03\x04', 'latin1')
  head.writeUInt16LE(name.length, 26)
  return Buffer.concat([head, Buffer.from(name)])
}

type Manifest = Parameters<NonNullable<Forging['manifest']>>[0]
type Change = (manifest: Manifest) => unknown

/** The seal holds: the attacker has a key too. */
const sealed = (manifest: Change, content?: Part[]) => () => forge(content, { manifest })
const entry = (at: number, change: object) =>
  sealed(manifest => ({
    ...manifest,
    entries: manifest.entries.map((one, index) => (index === at ? { ...one, ...change } : one)),
  }))
const extra =
  (...more: readonly Part[]) =>
  () =>
    forge([...parts(), ...more])
const list = (kind: string, content: string | readonly unknown[]) => () =>
  forge(withList(kind, content))

const SESSION_FILE_AT = 7

const OTHER_FORMATS: readonly HostileFile[] = [
  { name: 'nothing at all', make: () => Buffer.alloc(0) },
  { name: 'a tar that climbs out', make: () => tar(file('../../.bashrc')) },
  { name: 'a tar with an absolute path', make: () => tar(file('/etc/cron.d/evil')) },
  {
    name: 'a tar that writes through a symlink',
    make: () => tar(link('symlink', '/home'), file('notes/x')),
  },
  { name: 'a tar with a hard link', make: () => tar(link('link', '/etc/passwd')) },
  { name: 'a tar with a device', make: () => tar(device) },
  {
    name: 'a tar whose PAX header changes the path',
    make: () => tar(file('ok', { path: '../evil' })),
  },
  { name: 'a tar with the same name twice', make: () => tar(file('same'), file('same')) },
  { name: 'a tar with names that differ in case', make: () => tar(file('Same'), file('same')) },
  { name: 'a tar with a NUL in a name', make: () => tar(file('ok\0/../../evil')) },
  {
    name: 'a tar with settings and hooks',
    make: () => tar(file('.claude/settings.json'), file('.mcp.json')),
  },
  { name: 'a packed bomb', make: () => gzipSync(Buffer.alloc(20 * MB)) },
  { name: 'a ZIP that climbs out', make: () => zip('../../evil') },
  { name: 'a thread file in gzip', make: () => gzipSync(forge()) },
  { name: 'a line without an end', make: () => Buffer.alloc(4 * MB, 'a') },
]

const HEADS: readonly HostileFile[] = [
  { name: 'a head that is cut off', make: () => forge().subarray(0, 200) },
  {
    name: 'a head of two megabytes',
    make: sealed(manifest => ({ ...manifest, program: 'x'.repeat(2 * MB) })),
  },
  { name: 'a head that is not JSON', make: sealed(() => '{"format":1,') },
  { name: 'a head that is a list', make: sealed(manifest => [manifest]) },
  {
    name: 'a field that nobody knows',
    make: sealed(manifest => ({ ...manifest, directory: '/' })),
  },
  { name: 'a file of a later format', make: sealed(manifest => ({ ...manifest, format: 2 })) },
  {
    name: 'a thread id that is a path',
    make: sealed(manifest => ({ ...manifest, threadId: '../x' })),
  },
  { name: 'an entry with a path', make: entry(SESSION_FILE_AT, { path: '/etc/passwd' }) },
  {
    name: 'an entry that climbs out',
    make: entry(SESSION_FILE_AT, { of: '../../.claude/settings.json' }),
  },
  { name: 'an entry with an absolute name', make: entry(SESSION_FILE_AT, { of: '/etc/passwd' }) },
  { name: 'an entry with a NUL in its name', make: entry(SESSION_FILE_AT, { of: 'ses_a\0b' }) },
  {
    name: 'an entry of settings',
    make: extra({ kind: 'settings', of: 'settings.json', content: '{"hooks":{}}' }),
  },
  { name: 'an entry of MCP servers', make: extra({ kind: 'mcp', of: '.mcp.json', content: '{}' }) },
  {
    name: 'an entry that is there twice',
    make: extra({ kind: 'session-file', of: SESSION, content: 'x' }),
  },
  {
    name: 'entries whose names differ in case',
    make: extra({ kind: 'session-file', of: SESSION.toUpperCase(), content: 'x' }),
  },
  { name: 'a list that is there twice', make: extra({ kind: 'messages', of: null, content: '' }) },
  {
    name: 'a list that is missing',
    make: () => forge(parts().filter(({ kind }) => kind !== 'runs')),
  },
  { name: 'a negative size', make: entry(0, { size: -1 }) },
  { name: 'a size that is no number', make: entry(0, { size: '4' }) },
]

const SIZES: readonly HostileFile[] = [
  {
    name: 'three thousand entries',
    make: extra(
      ...Array.from({ length: 3_000 }, (_, at) => ({
        kind: 'session-file',
        of: `ses_${at}`,
        content: '',
      })),
    ),
    code: 'too-large',
  },
  {
    name: 'a claim of ten terabytes',
    make: entry(6, { size: 10e12, bytes: 10e11 }),
    code: 'too-large',
  },
  {
    name: 'an entry that is packed a thousand times',
    make: extra({ kind: 'bundle', of: null, content: Buffer.alloc(20 * MB) }),
    code: 'too-large',
  },
  {
    name: 'an entry that unpacks to more than it says',
    make: entry(SESSION_FILE_AT, { size: 10 }),
  },
  {
    name: 'an entry that unpacks to less than it says',
    make: entry(SESSION_FILE_AT, { size: 100_000 }),
  },
  { name: 'an entry that is cut off', make: () => forge().subarray(0, -10) },
  { name: 'bytes after the last entry', make: () => Buffer.concat([forge(), Buffer.from('x')]) },
  {
    name: 'an entry that was exchanged',
    make: () => forge(parts(), { packed: bytes => Buffer.from(bytes.map(byte => byte ^ 1)) }),
  },
  { name: 'a wrong hash', make: entry(0, { sha256: '0'.repeat(64) }) },
  {
    name: 'an entry that is not packed',
    make: () => forge(parts().map(part => ({ ...part, isPacked: true }))),
  },
]

const SIGNATURES: readonly HostileFile[] = [
  {
    name: 'a signature by another key',
    make: () => forge(parts(), { signature: text => signText(text, makeKey()) }),
  },
  { name: 'a signature that was taken away', make: () => forge(parts(), { signature: () => '-' }) },
  {
    name: 'a signature without a key',
    make: () => forge(parts(), { signed: false, signature: text => signText(text, makeKey()) }),
  },
  {
    name: 'a signature that is written in another way',
    // Of the last letter, only two of six bits count.
    make: () => {
      const whole = forge().toString('latin1')
      const end = whole.indexOf('\n', whole.indexOf('\n', whole.indexOf('\n') + 1) + 1) - 1
      const other = { A: 'B', Q: 'R', g: 'h', w: 'x' }[whole[end] ?? ''] ?? '-'
      return Buffer.from(whole.slice(0, end) + other + whole.slice(end + 1), 'latin1')
    },
  },
  { name: 'a key that is none', make: sealed(manifest => ({ ...manifest, key: 'ed25519:short' })) },
]

const RECORDS: readonly HostileFile[] = [
  {
    name: 'another thread than its head says',
    make: list('thread', [{ ...THREAD, id: 'thr_other' }]),
  },
  { name: 'two threads', make: list('thread', [THREAD, THREAD]) },
  {
    name: 'a repository that runs a command',
    make: list('thread', [
      { ...THREAD, workspace: { repository: 'ext::sh -c evil', ref: null, commit: null } },
    ]),
  },
  {
    name: 'a ref that is a flag',
    make: list('thread', [
      {
        ...THREAD,
        workspace: { repository: 'https://example.org/x', ref: '--upload-pack=evil', commit: null },
      },
    ]),
  },
  {
    name: 'a message that is not what its hash says',
    make: list('messages', [{ ...PROMPT, text: 'two' }]),
  },
  { name: 'a message that is there twice', make: list('messages', [PROMPT, PROMPT]) },
  {
    name: 'a branch with a message of another thread',
    make: list('branches', [{ ...BRANCH, messageIds: ['msg_other'] }]),
  },
  {
    name: 'a run that still goes on',
    make: list('runs', [{ ...RUN, status: 'running', endedAt: null }]),
  },
  { name: 'a run that earns money', make: list('runs', [{ ...RUN, costUsd: -1_000 }]) },
  { name: 'a run of another shape', make: list('runs', [{ ...RUN, usage: 'much' }]) },
  { name: 'an event of another run', make: list('events', [{ ...EVENT, runId: 'run_other' }]) },
  { name: 'events with a gap', make: list('events', [{ ...EVENT, seq: 2 }]) },
  {
    name: 'an event of another shape',
    make: list('events', [{ ...EVENT, json: '{"type":"text"}' }]),
  },
  { name: 'an event that is not JSON', make: list('events', [{ ...EVENT, json: '{' }]) },
  {
    name: 'a list that is no text',
    make: () =>
      forge(
        parts().map(part =>
          part.kind === 'prompts' ? { ...part, content: Buffer.from([255, 10]) } : part,
        ),
      ),
  },
  { name: 'a line without an end in a list', make: list('events', JSON.stringify(EVENT)) },
  {
    name: 'a list nested a hundred thousand times',
    make: list('prompts', `${'['.repeat(100_000)}\n`),
  },
  {
    name: 'a session that was never saved',
    make: list('sessions', [{ ...SESSION_RECORD, pointer: 'announced' }]),
  },
  {
    name: 'the file of a session of another thread',
    make: extra({ kind: 'session-file', of: 'ses_other', content: 'x' }),
  },
  {
    name: 'a checkpoint without a repository',
    make: extra({ kind: 'checkpoint', of: '000000000000000.000000001', content: 'x' }),
  },
]

const BUNDLES: readonly HostileFile[] = [
  { name: 'a bundle that is none', make: extra(bundle('evil')) },
  { name: 'a bundle with a branch', make: extra(bundle(named('refs/heads/main'))) },
  { name: 'a bundle that climbs out', make: extra(bundle(named('refs/reprise/../../hooks/1'))) },
  { name: 'two bundles', make: extra(bundle(named('refs/reprise/job_a/1')), bundle('x')) },
]

function bundle(content: string): Part {
  return { kind: 'bundle', of: null, content }
}

function named(ref: string): string {
  return `# v2 git bundle\n${'0'.repeat(40)} ${ref}\n\nPACK`
}

export const HOSTILE_FILES: readonly HostileFile[] = [
  ...OTHER_FORMATS,
  ...HEADS,
  ...SIZES,
  ...SIGNATURES,
  ...BUNDLES,
  ...RECORDS,
]
