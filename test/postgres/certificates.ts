// Certificates of an authority that exists for one test, made with openssl.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type Certificates = {
  /** The certificate of the authority. */
  readonly ca: string
  readonly certificate: string
  readonly key: string
}

/** A certificate for `localhost`, and for no address. */
export function makeCertificates(directory: string): Certificates {
  mkdirSync(directory, { recursive: true })
  const path = (name: string) => join(directory, name)
  const openssl = (args: readonly string[]) => execFileSync('openssl', args, { stdio: 'pipe' })
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  openssl([
    ...['req', '-x509', ...newKey, '-subj', '/CN=Authority of a test', '-days', '2'],
    ...['-keyout', path('ca.key'), '-out', path('ca.crt')],
  ])
  openssl([
    ...['req', ...newKey, '-subj', '/CN=localhost'],
    ...['-keyout', path('server.key'), '-out', path('server.csr')],
  ])
  writeFileSync(path('names'), 'subjectAltName=DNS:localhost\n')
  openssl([
    ...['x509', '-req', '-in', path('server.csr'), '-CA', path('ca.crt'), '-CAkey', path('ca.key')],
    ...['-CAcreateserial', '-days', '2', '-extfile', path('names'), '-out', path('server.crt')],
  ])
  return { ca: path('ca.crt'), certificate: path('server.crt'), key: path('server.key') }
}
