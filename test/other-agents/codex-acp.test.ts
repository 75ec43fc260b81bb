// The real program of codex-acp under Reprise.
import { acpCases } from '../agents/acp-cases.ts'

acpCases('codex-acp')
