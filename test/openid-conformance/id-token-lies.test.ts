import { describe } from 'vitest'
import { describeLies } from './describe-lies.ts'
import { idTokenLies } from './id-token-lies.ts'

describe('an ID token', () => describeLies(idTokenLies))
