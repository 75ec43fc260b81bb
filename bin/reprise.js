#!/usr/bin/env node
// Starts Reprise on a Node that can run it. Syntax of 2015 on purpose: an old Node must be able to say what is wrong.
// biome-ignore-all lint/style/useNodejsImportProtocol: an old Node does not know the prefix
'use strict'

const path = require('path')
const fs = require('fs')

const EXIT_NODE_TOO_OLD = 70
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']
const PACKAGE = `node-${process.platform}-${process.arch}`

if (canRun(process.versions.node)) require(entry())
else startOn(bundledNode())

function canRun(version) {
  const parts = version.split('.').map(Number)
  return parts[0] > 22 || (parts[0] === 22 && parts[1] >= 18)
}

// A checkout that was not built runs from its sources.
function entry() {
  const built = path.join(__dirname, '..', 'dist', 'cli', 'main.js')
  return fs.existsSync(built) ? built : path.join(__dirname, '..', 'src', 'cli', 'main.ts')
}

function bundledNode() {
  try {
    const node = path.join(path.dirname(require.resolve(`${PACKAGE}/package.json`)), 'bin', 'node')
    return fs.existsSync(node) ? node : null
  } catch (_) {
    // The package is optional: not there means that this machine's own Node has to do.
    return null
  }
}

function startOn(node) {
  if (node === null) giveUp(`reprise needs Node 22.18 or newer; this is ${process.version}`)
  const args = [__filename].concat(process.argv.slice(2))
  const child = require('child_process').spawn(node, args, { stdio: 'inherit' })
  SIGNALS.forEach(signal => {
    process.on(signal, () => child.kill(signal))
  })
  child.on('error', error => giveUp(`cannot start ${node}: ${error.message}`))
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    SIGNALS.forEach(name => {
      process.removeAllListeners(name)
    })
    process.kill(process.pid, signal)
  })
}

function giveUp(what) {
  const hint = `install Node 22.18 or newer, or the package ${PACKAGE} next to reprise`
  process.stderr.write(`error: ${what}\nhint: ${hint}\n`)
  process.exit(EXIT_NODE_TOO_OLD)
}
