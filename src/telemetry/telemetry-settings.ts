// How telemetry is switched on. It is off by default.
import type { TraceContext } from '../core/trace/trace-context.ts'

/** How telemetry is switched on. */
export type TelemetrySettings =
  /** Uses the provider that this program has registered. */
  | true
  | {
      /**
       * The absolute path of a module that is loaded first and registers a provider. If it exports a function
       * `shutdown`, Reprise calls that at its end.
       */
      readonly module: string
      /** What is submitted without an active span belongs to this trace. */
      readonly parent?: TraceContext
    }
