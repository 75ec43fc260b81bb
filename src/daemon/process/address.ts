// Where the daemon may listen: only on this machine, unless the user asks for another address with `--listen`.
import { isIPv4, isIPv6 } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import { RepriseError } from '../../errors.ts'

const DEFAULT_HOST = '127.0.0.1'

export type Address = {
  readonly host: string
  readonly isLoopback: boolean
}

/** `host` must be a loopback address; `listen` may be any address. */
export function addressOf(wanted: { readonly host?: string; readonly listen?: string }): Address {
  if (wanted.listen !== undefined) {
    const host = withoutBrackets(wanted.listen)
    if (isIPv4(host) || isIPv6(host)) return { host, isLoopback: isLoopback(host) }
    const what = `${wanted.listen} is not an address`
    throw new RepriseError('bad-input', what, 'Give --listen one such as 192.168.1.5 or ::.')
  }
  const named = withoutBrackets(wanted.host ?? DEFAULT_HOST)
  const host = named === 'localhost' ? DEFAULT_HOST : named
  if (isLoopback(host)) return { host, isLoopback: true }
  throw new RepriseError(
    'bad-input',
    `${wanted.host} is not an address of this machine alone`,
    `others could reach the daemon; if that is wanted, say --listen ${wanted.host}`,
  )
}

export function urlOf(host: string, port: number): string {
  return `http://${hostOf(host, port)}`
}

function hostOf(host: string, port: number): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`
}

/** The values of `Host` that other machines may send; none when only this machine can reach the daemon. */
export function hostsOf(host: string, port: number): readonly string[] {
  if (isLoopback(host)) return host === DEFAULT_HOST ? [] : [hostOf(host, port)]
  const isEvery = host === '0.0.0.0' || host === '::'
  const addresses = isEvery ? ownAddresses() : [host]
  return addresses.map(address => hostOf(address, port))
}

function ownAddresses(): readonly string[] {
  return [
    hostname(),
    ...Object.values(networkInterfaces()).flatMap(
      found => found?.map(({ address }) => address) ?? [],
    ),
  ]
}

function isLoopback(host: string): boolean {
  return host === '::1' || (isIPv4(host) && host.startsWith('127.'))
}

function withoutBrackets(host: string): string {
  return host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
}
