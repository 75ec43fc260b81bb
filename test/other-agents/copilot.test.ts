// The real program of copilot under Reprise.
import { acpCases } from '../agents/acp-cases.ts'

acpCases('copilot')
