// Secrets of known shapes do not get into the store. Applied to what tools were given and gave, never to the user's own words.

const SHAPES: readonly RegExp[] = [
  /\bsk-ant-[A-Za-z0-9_-]{16,}/g,
  /\bsk-[A-Za-z0-9_-]{20,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{30,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{30,}/g,
  /\bglpat-[A-Za-z0-9_-]{18,}/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g,
  /\bA(?:KIA|SIA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{35}/g,
  /\bnpm_[A-Za-z0-9]{36}/g,
  /\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
]

/** The name stays, the value goes: `API_KEY=…`, `"password": "…"`, `Authorization: Bearer …`. */
const NAMED =
  /((?:api[_-]?key|secret|passw(?:or)?d|access[_-]?token|auth[_-]?token|bearer)["']?\s*[:= ]\s*["']?)([^\s"',;]{8,})/gi

export function redact(text: string): string {
  const shapeless = SHAPES.reduce((clean, shape) => clean.replace(shape, '[redacted]'), text)
  return shapeless.replace(NAMED, '$1[redacted]')
}
