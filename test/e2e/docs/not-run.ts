// Commands of the documents that a test machine cannot or must not run, each with the reason. A command that stands on no page is an error.

export const NOT_RUN: Readonly<Record<string, string>> = {
  'createdb reprise': 'a page gets a database of the test run',
  'npm ci': 'it installs this repository again',
  'npm test': 'it runs this very test',
  'npm pack --ignore-scripts': 'test/e2e/library/packed-package.test.ts packs',
  'npm install -g ./reprise-0.1.0.tgz': 'the same test installs it, below a directory of its own',
  'npx reprise demo': 'test/e2e/cli/demo.test.ts runs it',
}
