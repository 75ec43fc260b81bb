// Loads the interface of OpenTelemetry, and the module by which a user registers an exporter. Nothing here is loaded by default.
import { createRequire } from 'node:module'
import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import { RepriseError } from '../errors.ts'
import type { TelemetrySettings } from './telemetry-settings.ts'

export type Api = typeof import('@opentelemetry/api')

type LoadedApi = {
  readonly api: Api
  readonly shutdown: () => Promise<void>
}

const PACKAGE = '@opentelemetry/api'

export async function loadApi(settings: TelemetrySettings): Promise<LoadedApi> {
  if (settings === true) return { api: await ownApi(), shutdown: async () => {} }
  const { module } = settings
  if (!isAbsolute(module)) throw badModule(module, 'its path is not absolute')
  let registered: { readonly shutdown?: unknown }
  try {
    registered = await import(pathToFileURL(module).href)
  } catch (error) {
    throw badModule(module, error instanceof Error ? error.message : String(error))
  }
  const { shutdown } = registered
  return {
    api: apiBeside(module) ?? (await ownApi()),
    shutdown: async () => {
      if (typeof shutdown === 'function') await shutdown()
    },
  }
}

/**
 * The copy that the module itself uses. Another copy may be of a later version, and then the two do not know each
 * other: spans would go nowhere, without a word.
 */
function apiBeside(module: string): Api | null {
  try {
    return createRequire(module)(PACKAGE) as Api
  } catch {
    return null // The module stands where it finds none, so it uses ours or none.
  }
}

async function ownApi(): Promise<Api> {
  try {
    return await import('@opentelemetry/api')
  } catch (error) {
    throw new RepriseError(
      'bad-config',
      `telemetry is switched on, and ${PACKAGE} is not installed`,
      `Install it beside your exporter: npm install ${PACKAGE}.`,
      error,
    )
  }
}

function badModule(module: string, why: string): RepriseError {
  return new RepriseError(
    'bad-config',
    `the telemetry module ${module} cannot be loaded: ${why}`,
    'Set `telemetry.module` in config.yaml or REPRISE_TELEMETRY_MODULE to the absolute path of a module, or unset it.',
  )
}
