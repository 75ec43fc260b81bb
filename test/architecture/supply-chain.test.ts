// What comes with the package: few run-time packages, each named in docs/dependencies.md, none of which runs anything when installed.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

type Locked = {
  readonly version?: string
  readonly resolved?: string
  readonly integrity?: string
  readonly dev?: boolean
  readonly optional?: boolean
  readonly hasInstallScript?: boolean
  readonly link?: boolean
}

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const manifest = JSON.parse(read('package.json'))
const dependencies: Readonly<Record<string, string>> = manifest.dependencies
const packages: Readonly<Record<string, Locked>> = JSON.parse(read('package-lock.json')).packages
/** Without what lies in the repository itself: the root, and links to folders of ours. */
const locked = Object.entries(packages).filter(
  ([path, { link }]) => path.includes('node_modules/') && !link,
)

test('S32 there are at most 13 run-time packages, each with an exact version and a line in docs/dependencies.md', () => {
  const names = Object.keys(dependencies)
  expect(names.length).toBeLessThanOrEqual(13)
  for (const name of names) {
    expect(dependencies[name], name).toMatch(/^\d+\.\d+\.\d+$/)
    expect(read('docs/dependencies.md'), name).toContain(`\`${name}\` ${dependencies[name]}`)
  }
})

test('S32 with the packages that these need, a user installs at most 51, of which 20 are for PostgreSQL', () => {
  const installed = locked.filter(([, { dev, optional }]) => !dev && !optional)
  expect(installed.length).toBeLessThanOrEqual(51)
})

test('S32 every package has a checksum and comes from the registry alone', () => {
  const strange = locked.filter(
    ([, { resolved = REGISTRY, integrity = '' }]) =>
      !resolved.startsWith(REGISTRY) || !/^sha512-/.test(integrity),
  )
  expect(strange).toEqual([])
})

test('S32 the only folder of ours that npm links brings Node 24 to a clone', () => {
  const linked = Object.values(packages).filter(({ link }) => link)
  expect(linked).toEqual([{ resolved: 'scripts/node-24', link: true }])
})

test('S32 no package runs a script when it is installed', () => {
  const scripts = locked.filter(([, { hasInstallScript }]) => hasInstallScript)
  const names = scripts.map(([path]) => path.slice('node_modules/'.length))
  // A folder of ours builds a clone. What is packed has no such script.
  const { 'file:../scripts/node-24': ours, ...others } = manifest.allowScripts
  expect(ours).toBe(true)
  expect(Object.keys(others).sort()).toEqual(names)
  expect(new Set(Object.values(others))).toEqual(new Set([false]))
  // The others bring PostgreSQL to the tests.
  const atRunTime = scripts.filter(([, { dev }]) => !dev)
  expect(atRunTime.map(([path]) => path)).toEqual(['node_modules/better-sqlite3'])
  for (const hook of ['preinstall', 'install', 'postinstall', 'prepublish', 'prepare'])
    expect(manifest.scripts).not.toHaveProperty(hook)
})

const REGISTRY = 'https://registry.npmjs.org/'
