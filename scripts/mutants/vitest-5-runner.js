// Stryker's vitest runner, corrected for vitest 5: it names a test by `suite test`, vitest 5 by `suite > test`.
// Without this, tests inside of `describe` are never run against a mutant, and the mutant seems to survive.
import { PluginKind } from '@stryker-mutator/api/plugin'
import { strykerPlugins as vitestPlugins } from '@stryker-mutator/vitest-runner'

const [vitest] = vitestPlugins

function createRunner(injector) {
  const runner = injector.injectFunction(vitest.factory)
  const init = runner.init.bind(runner)
  runner.init = async () => {
    await init()
    const { ctx } = runner
    const start = ctx.start.bind(ctx)
    ctx.start = files => {
      for (const { config } of ctx.projects) {
        const names = config.testNamePattern?.source.replaceAll(' ', '(?: > | )')
        config.testNamePattern = names === undefined ? undefined : new RegExp(names)
      }
      return start(files)
    }
  }
  return runner
}
createRunner.inject = ['$injector']

export const strykerPlugins = [
  { kind: PluginKind.TestRunner, name: 'vitest-5', factory: createRunner },
]
export { strykerValidationSchema } from '@stryker-mutator/vitest-runner'
