// The path of the policy that comes with the package. In the bundle, this file is as deep as here.
import { fileURLToPath } from 'node:url'

export const OPS_POLICY = fileURLToPath(new URL('../../../policies/ops.yaml', import.meta.url))
