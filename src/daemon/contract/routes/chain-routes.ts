// The routes of chains; part of ROUTES.
import {
  chainPreviewSchema,
  chainSchema,
  chainsQuery,
  newChainSchema,
  policyReportSchema,
  tierPreviewSchema,
} from '../chain.ts'
import { pageOf } from '../fields.ts'
import { emptySchema, idParams, submissionHeaders } from '../requests.ts'
import { newScheduleSchema, scheduleSchema } from '../schedule.ts'
import { body, errors, json, route } from './route.ts'

export const CHAIN_ROUTES = {
  chainOfRun: route({
    method: 'get',
    path: '/api/runs/{id}/chain',
    scope: 'read',
    summary: 'The whole chain that a run belongs to',
    request: { params: idParams },
    responses: { 200: json(chainSchema, 'The chain'), ...errors },
  }),
  startChain: route({
    method: 'post',
    path: '/api/chains',
    scope: 'submit',
    summary: 'Start a chain; its supervisor decides which tiers follow',
    request: { headers: submissionHeaders, body: body(newChainSchema) },
    responses: { 202: json(chainSchema, 'Stored; its runs follow'), ...errors },
  }),
  previewChain: route({
    method: 'post',
    path: '/api/chains/preview',
    scope: 'read',
    summary: 'What each tier of a chain would cost; nothing is started or stored',
    request: { body: body(newChainSchema) },
    responses: { 200: json(chainPreviewSchema, 'The tiers with their prices'), ...errors },
  }),
  listChains: route({
    method: 'get',
    path: '/api/chains',
    scope: 'read',
    summary: 'List chains, newest first, each with its runs and cost per tier',
    request: { query: chainsQuery },
    responses: { 200: json(pageOf(chainSchema), 'A page of chains'), ...errors },
  }),
  getChain: route({
    method: 'get',
    path: '/api/chains/{id}',
    scope: 'read',
    summary: 'A chain: its runs in order, its total, its cost per tier',
    request: { params: idParams },
    responses: { 200: json(chainSchema, 'The chain'), ...errors },
  }),
  approveChain: route({
    method: 'post',
    path: '/api/chains/{id}/approve',
    scope: 'approve',
    person: true,
    summary: 'Approve the next tier of a held chain',
    request: { params: idParams, body: body(emptySchema) },
    responses: { 202: json(chainSchema, 'The chain, going on or still held'), ...errors },
  }),
  previewNextTier: route({
    method: 'get',
    path: '/api/chains/{id}/next-tier',
    scope: 'read',
    summary:
      'What the next tier of a held chain would cost, or the tier of a broken-off chain if it is continued, and how the conversation would reach it; nothing is started or stored',
    request: { params: idParams },
    responses: { 200: json(tierPreviewSchema, 'The tier with its prices'), ...errors },
  }),
  continueChain: route({
    method: 'post',
    path: '/api/chains/{id}/continue',
    scope: 'approve',
    person: true,
    summary: 'Continue a chain in the tier whose run was broken off',
    request: { params: idParams, body: body(emptySchema) },
    responses: { 202: json(chainSchema, 'The chain, going on'), ...errors },
  }),
  cancelChain: route({
    method: 'post',
    path: '/api/chains/{id}/cancel',
    scope: 'submit',
    summary: 'Cancel a chain and its current run',
    request: { params: idParams, body: body(emptySchema) },
    responses: { 200: json(chainSchema, 'The chain'), ...errors },
  }),
  listPolicies: route({
    method: 'get',
    path: '/api/policies',
    scope: 'read',
    summary:
      'List the policies that chains can be started with by name: what each tier may do and cost',
    responses: { 200: json(pageOf(policyReportSchema), 'All policies'), ...errors },
  }),
  createSchedule: route({
    method: 'post',
    path: '/api/schedules',
    scope: 'submit',
    summary:
      'Start a chain repeatedly; a start that would overlap with the previous chain is skipped',
    request: { body: body(newScheduleSchema) },
    responses: { 201: json(scheduleSchema, 'The schedule'), ...errors },
  }),
  listSchedules: route({
    method: 'get',
    path: '/api/schedules',
    scope: 'read',
    summary: 'List schedules, oldest first',
    responses: { 200: json(pageOf(scheduleSchema), 'All schedules'), ...errors },
  }),
  removeSchedule: route({
    method: 'delete',
    path: '/api/schedules/{id}',
    scope: 'submit',
    summary: 'Remove a schedule; chains that it has started continue',
    request: { params: idParams },
    responses: { 204: { description: 'Removed' }, ...errors },
  }),
} as const
