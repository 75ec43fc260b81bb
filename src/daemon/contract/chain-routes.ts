// The routes of chains; part of ROUTES.
import { chainSchema, chainsQuery, newChainSchema } from './chain.ts'
import { pageOf } from './fields.ts'
import { emptySchema, idempotencyHeaders, idParams } from './requests.ts'
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
    summary: 'Start a chain: its tiers follow as their supervisor decides',
    request: { headers: idempotencyHeaders, body: body(newChainSchema) },
    responses: { 202: json(chainSchema, 'Stored; its runs follow'), ...errors },
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
  cancelChain: route({
    method: 'post',
    path: '/api/chains/{id}/cancel',
    scope: 'submit',
    summary: 'End the run that is going, and the chain with it',
    request: { params: idParams, body: body(emptySchema) },
    responses: { 200: json(chainSchema, 'The chain'), ...errors },
  }),
} as const
