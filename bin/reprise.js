// Loads Reprise, if this Node can run it. Syntax of 2015 on purpose: an old Node must be able to say what is wrong.
// biome-ignore-all lint/style/useNodejsImportProtocol: an old Node does not know the prefix
'use strict'

const path = require('path')
const fs = require('fs')

const EXIT_NODE_TOO_OLD = 70

if (canRun(process.versions.node)) require(entry())
else giveUp()

function canRun(version) {
  const parts = version.split('.').map(Number)
  return parts[0] > 22 || (parts[0] === 22 && parts[1] >= 18)
}

// A checkout that was not built runs from its sources.
function entry() {
  const built = path.join(__dirname, '..', 'dist', 'cli', 'main.js')
  return fs.existsSync(built) ? built : path.join(__dirname, '..', 'src', 'cli', 'main.ts')
}

function giveUp() {
  const what = `reprise needs Node 22.18 or newer; this is ${process.version}`
  const hint = 'Install Node 22.18 or newer and put it on PATH, or name it with REPRISE_NODE.'
  process.stderr.write(`error: ${what}\nhint: ${hint}\n`)
  process.exit(EXIT_NODE_TOO_OLD)
}
