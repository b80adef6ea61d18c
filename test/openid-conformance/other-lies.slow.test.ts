import { describe } from 'vitest'
import { callbackLies, metadataLies, tokenLies } from './answer-lies.ts'
import { describeLies } from './describe-lies.ts'
import { deviceLies } from './device-lies.ts'
import { networkLies } from './network-lies.ts'

describe('what the browser comes back with', () => describeLies(callbackLies))
describe('what the token endpoint answers', () => describeLies(tokenLies))
describe('what the provider says about itself', () => describeLies(metadataLies))
describe('a sign-in by a code', () => describeLies(deviceLies))
describe('the network, and clocks', () => describeLies(networkLies))
