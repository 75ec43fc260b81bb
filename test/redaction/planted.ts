// 500 planted secrets: 49 kinds in 31 wrappings. Made up here, from parts, so that no scanner takes this file for a leak.
import { BASE64, HEX, LETTERS, type Random, randomFrom, URL_SAFE } from './random.ts'

export type Planted = {
  readonly kind: string
  readonly wrapping: string
  readonly text: string
  /** What must not be left of it, as it is written in the text. */
  readonly secret: string
}

type Kind = { readonly name: string; readonly make: (random: Random) => string }

/** Known by their looks, wherever they stand. */
const token = (
  name: string,
  prefix: readonly string[],
  alphabet: string,
  length: number,
): Kind => ({
  name,
  make: random => prefix.join('') + random.of(alphabet, length),
})

const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

export const TOKENS: readonly Kind[] = [
  token('Anthropic API key', ['sk-', 'ant-api03-'], URL_SAFE, 95),
  token('Anthropic OAuth token', ['sk-', 'ant-oat01-'], URL_SAFE, 95),
  token('OpenAI project key', ['sk-', 'proj-'], URL_SAFE, 120),
  token('OpenAI key', ['sk', '-'], LETTERS, 48),
  token('DeepSeek key', ['sk', '-'], HEX, 32),
  token('Groq key', ['gsk', '_'], LETTERS, 52),
  token('Hugging Face token', ['hf', '_'], LETTERS, 34),
  token('Google API key', ['AI', 'za'], URL_SAFE, 35),
  token('Google client secret', ['GOC', 'SPX-'], URL_SAFE, 28),
  token('Google OAuth token', ['ya', '29.'], URL_SAFE, 120),
  token('GitHub personal token', ['gh', 'p_'], LETTERS, 36),
  token('GitHub app token', ['gh', 's_'], LETTERS, 36),
  token('GitHub fine-grained token', ['github', '_pat_'], LETTERS, 82),
  token('GitLab token', ['gl', 'pat-'], URL_SAFE, 20),
  token('GitLab runner token', ['gl', 'rt-'], URL_SAFE, 20),
  token('npm token', ['np', 'm_'], LETTERS, 36),
  token('PyPI token', ['pypi-', 'AgEIcHlwaS5vcmc'], URL_SAFE, 120),
  token('Docker Hub token', ['dckr', '_pat_'], URL_SAFE, 27),
  token('Atlassian token', ['ATA', 'TT3'], URL_SAFE, 180),
  token('AWS key id', ['AK', 'IA'], UPPER, 16),
  token('Bedrock key', ['AB', 'SK'], BASE64, 128),
  token('DigitalOcean token', ['do', 'p_v1_'], HEX, 64),
  token('Vault token', ['hv', 's.'], URL_SAFE, 95),
  token('Doppler token', ['dp', '.pt.'], LETTERS, 43),
  token('Databricks token', ['da', 'pi'], HEX, 32),
  token('Supabase token', ['sb', 'p_'], HEX, 40),
  token('Slack bot token', ['xo', 'xb-'], LETTERS, 48),
  token('Slack app token', ['xa', 'pp-1-'], LETTERS, 60),
  token('Stripe key', ['sk_', 'live_'], LETTERS, 24),
  token('Stripe webhook secret', ['wh', 'sec_'], LETTERS, 32),
  token('Shopify token', ['sh', 'pat_'], HEX, 32),
  token('SendGrid key', ['S', 'G.'], URL_SAFE, 66),
  token('Twilio key', ['S', 'K'], HEX, 32),
  token('Linear key', ['lin', '_api_'], LETTERS, 40),
  token('Notion token', ['nt', 'n_'], LETTERS, 46),
  token('Sentry token', ['snt', 'ryu_'], HEX, 64),
  token('New Relic key', ['NR', 'AK-'], LETTERS, 27),
  { name: 'JSON web token', make: jwt },
  {
    name: 'Telegram bot token',
    make: random =>
      `${random.of('123456789', 10)}:${['A', 'A'].join('')}${random.of(URL_SAFE, 33)}`,
  },
  {
    name: 'Azure client secret',
    make: random => `${random.of(LETTERS, 3)}8Q~${random.of(LETTERS, 34)}`,
  },
]

/** Known only by the name in front of them. */
export const NAMED: readonly (Kind & { readonly key: string })[] = [
  { name: 'AWS secret key', key: 'AWS_SECRET_ACCESS_KEY', make: random => random.of(BASE64, 40) },
  { name: 'database password', key: 'DB_PASSWORD', make: password },
  { name: 'API key', key: 'SERVICE_API_KEY', make: random => random.of(HEX, 32) },
  { name: 'client secret', key: 'OAUTH_CLIENT_SECRET', make: random => random.of(LETTERS, 30) },
  { name: 'access token', key: 'ACCESS_TOKEN', make: random => random.of(LETTERS, 40) },
  { name: 'signing key', key: 'JWT_SIGNING_KEY', make: random => random.of(BASE64, 44) },
  { name: 'passphrase', key: 'GPG_PASSPHRASE', make: password },
  { name: 'account key', key: 'AZURE_STORAGE_ACCOUNT_KEY', make: random => random.of(BASE64, 86) },
]

function jwt(random: Random): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = { sub: random.of(HEX, 12), iat: 1_700_000_000 + random.below(1e8) }
  return [part({ alg: 'HS256', typ: 'JWT' }), part(claims), random.of(URL_SAFE, 43)].join('.')
}

function password(random: Random): string {
  const word = random.pick(['tulip', 'Granite', 'lantern', 'Meadow', 'cobalt'])
  return `${word}-${random.below(9_000) + 1_000}${random.pick(['!', '#', '_', '.', '+'])}${random.of(LETTERS, 4)}`
}

type Wrapping = { readonly name: string; readonly wrap: (secret: string, random: Random) => string }

const PROSE = 'The build failed, see below.\nRetrying in 3 s\n'

/** Around something that is known by its looks. */
const AROUND_TOKENS: readonly Wrapping[] = [
  { name: 'in prose', wrap: secret => `${PROSE}I used ${secret} for it.` },
  { name: 'in an environment dump', wrap: secret => `HOME=/root\nTHING=${secret}\nLANG=C.UTF-8\n` },
  { name: 'as a JSON value', wrap: secret => JSON.stringify({ ok: true, value: secret, n: 3 }) },
  {
    name: 'in JSON within JSON',
    wrap: secret => JSON.stringify({ command: JSON.stringify({ text: `a\n${secret}\nb` }) }),
  },
  { name: 'in a URL', wrap: secret => `git clone https://oauth2:${secret}@example.org/a/b.git` },
  {
    name: 'in a query',
    wrap: secret => `GET /v1/items?page=2&access_token=${secret}&x=1 HTTP/1.1`,
  },
  {
    name: 'URL-encoded',
    wrap: secret => `redirect=https%3A%2F%2Fa.example%2F%3Ft%3D${secret}%26x%3D1`,
  },
  { name: 'in a header', wrap: secret => `> Authorization: Bearer ${secret}\n> Accept: */*` },
  { name: 'in a diff', wrap: secret => `@@ -1,3 +1,3 @@\n-  token: ''\n+  token: '${secret}'\n` },
  { name: 'coloured', wrap: (secret, random) => coloured(secret, random) },
  {
    name: 'as base64',
    wrap: secret => `value: ${Buffer.from(`${secret}\n`).toString('base64')}\n`,
  },
  {
    name: 'in a wrapped base64 file',
    wrap: secret =>
      wrapped(`HOME=/root\nPATH=/usr/bin:/bin\nTHING=${secret}\nLANG=C.UTF-8\nSHELL=/bin/bash\n`),
  },
]

/** Around something that needs its name. */
const AROUND_NAMED: readonly ((key: string) => Wrapping)[] = [
  key => ({
    name: 'in an environment dump',
    wrap: secret => `HOME=/root\n${key}=${secret}\nLANG=C\n`,
  }),
  key => ({ name: 'exported', wrap: secret => `export ${key}="${secret}" && make deploy` }),
  key => ({
    name: 'as a JSON field',
    wrap: secret => JSON.stringify({ [camel(key)]: secret, n: 3 }),
  }),
  key => ({
    name: 'in JSON within JSON',
    wrap: secret => JSON.stringify({ command: JSON.stringify({ [key.toLowerCase()]: secret }) }),
  }),
  key => ({
    name: 'in YAML',
    wrap: secret => `spec:\n  ${camel(key)}: ${secret}\n  replicas: 2\n`,
  }),
  key => ({
    name: 'as a container variable',
    wrap: secret => `- name: ${key}\n  value: ${secret}\n- name: PORT\n  value: "80"\n`,
  }),
  key => ({ name: 'as a flag', wrap: secret => `deploy --${dashed(key)} ${secret} --region eu-1` }),
  key => ({ name: 'in code', wrap: secret => `const ${camel(key)} = '${secret}'\n` }),
  key => ({
    name: 'in a wrapped base64 file',
    wrap: secret => wrapped(`HOME=/root\nPATH=/usr/bin:/bin\n${key}=${secret}\nLANG=C.UTF-8\n`),
  }),
  key => ({
    name: 'in XML',
    wrap: secret => `<settings><${camel(key)}>${secret}</${camel(key)}></settings>`,
  }),
]

function camel(key: string): string {
  return key.toLowerCase().replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

function dashed(key: string): string {
  return key.toLowerCase().replaceAll('_', '-')
}

/** As `grep --color` and pagers do: a sequence in the middle of it. */
function coloured(secret: string, random: Random): string {
  const at = 4 + random.below(secret.length - 6)
  return `\x1b[35mconfig\x1b[0m:\x1b[32m7\x1b[0m: ${secret.slice(0, at)}\x1b[01;31m\x1b[K${secret.slice(at)}\x1b[m\x1b[K end`
}

function wrapped(text: string): string {
  return `${Buffer.from(text)
    .toString('base64')
    .replace(/(.{76})/g, '$1\n')}\n`
}

/** Long things, and things whose shape is all around them. */
const SPECIAL: readonly ((random: Random) => Omit<Planted, 'kind'>)[] = [
  random => pem(random, ['OPENSSH', '']),
  random => pem(random, ['RSA', '']),
  random => pem(random, ['PGP', ' BLOCK']),
  random => {
    const { text, secret } = pem(random, ['EC', ''])
    return {
      wrapping: 'JSON-escaped',
      text: JSON.stringify({ key: text }),
      secret: escaped(secret),
    }
  },
  random => {
    const { text, secret } = pem(random, ['RSA', ''])
    return { wrapping: 'without its beginning', text: text.slice(text.indexOf(secret)), secret }
  },
  random => {
    const { text, secret } = pem(random, ['RSA', ''])
    const end = text.indexOf(secret) + secret.length
    return { wrapping: 'without its end', text: text.slice(0, end), secret }
  },
  random => {
    const secret = password(random)
    return {
      wrapping: 'database URL',
      text: `psql postgres://app:${secret}@db.example:5432/app`,
      secret,
    }
  },
  random => {
    const secret = Buffer.from(`admin:${password(random)}`).toString('base64')
    return {
      wrapping: 'basic authorization',
      text: `curl -H 'Authorization: Basic ${secret}' x`,
      secret,
    }
  },
  random => {
    const secret = random.of(BASE64, 40)
    return {
      wrapping: 'AWS secret beside its id',
      text: `${['AK', 'IA'].join('')}${random.of(UPPER, 16)},${secret}\n`,
      secret,
    }
  },
  random => {
    const secret = random.of(LETTERS, 32)
    return {
      wrapping: 'cookie',
      text: `< set-cookie: session=${secret}; Path=/; HttpOnly\n`,
      secret,
    }
  },
  random => {
    const secret = random.of(LETTERS, 24)
    const path = `T${random.of(UPPER, 8)}/B${random.of(UPPER, 8)}/${secret}`
    return {
      wrapping: 'webhook address',
      text: `POST https://hooks.${'slack'}.com/services/${path}`,
      secret,
    }
  },
  random => {
    const secret = random.of(LETTERS, 36)
    return { wrapping: '.npmrc', text: `//registry.example/:_${'auth'}Token=${secret}\n`, secret }
  },
]

function pem(random: Random, [name = '', suffix = '']: readonly string[]): Omit<Planted, 'kind'> {
  const secret = Array.from({ length: 12 }, () => random.of(BASE64, 64)).join('\n')
  const mark = (word: string) => `-----${word} ${name} PRIVATE${' KEY'}${suffix}-----`
  return {
    wrapping: `${name} private key`,
    text: `cat key\n${mark('BEGIN')}\n${secret}\n${mark('END')}\ndone\n`,
    secret,
  }
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

export function plantedSecrets(count = 500, seed = 1): readonly Planted[] {
  const random = randomFrom(seed)
  return Array.from({ length: count }, (_, index) => planted(index, random))
}

function planted(index: number, random: Random): Planted {
  const round = Math.floor(index / 10)
  if (index % 10 === 9) {
    const special = SPECIAL[round % SPECIAL.length]
    return { kind: 'special', ...(special?.(random) ?? { wrapping: '', text: '', secret: '' }) }
  }
  if (index % 10 >= 7) {
    const number = round * 2 + (index % 10) - 7
    const named = NAMED[number % NAMED.length]
    const wrap = AROUND_NAMED[Math.floor(number / NAMED.length) % AROUND_NAMED.length]
    return around(named, named && wrap?.(named.key), random)
  }
  const number = round * 7 + (index % 10)
  const kind = TOKENS[number % TOKENS.length]
  const wrapping = AROUND_TOKENS[Math.floor(number / TOKENS.length + number) % AROUND_TOKENS.length]
  return around(kind, wrapping, random)
}

function around(kind: Kind | undefined, wrapping: Wrapping | undefined, random: Random): Planted {
  const secret = kind?.make(random) ?? ''
  const text = wrapping?.wrap(secret, random) ?? secret
  return { kind: kind?.name ?? '', wrapping: wrapping?.name ?? '', text, secret }
}
