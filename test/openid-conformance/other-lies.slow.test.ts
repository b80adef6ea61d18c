import { describe } from 'vitest'
import { callbackLies, metadataLies, tokenLies } from './answer-lies.ts'
import { describeLies } from './describe-lies.ts'
import { deviceLies } from './device-lies.ts'
import { networkLies } from './network-lies.ts'

describe('a sign-in whose callback may lie', () => describeLies(callbackLies))
describe('a sign-in whose token endpoint may lie', () => describeLies(tokenLies))
describe('a sign-in whose metadata may lie', () => describeLies(metadataLies))
describe('a sign-in by a code whose provider may lie', () => describeLies(deviceLies))
describe('a sign-in whose network or clock may fail', () => describeLies(networkLies))
