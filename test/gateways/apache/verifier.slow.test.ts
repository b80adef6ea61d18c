import { testLies } from '../test-lies.ts'
import { startApacheWithVerifier } from './apache-recipes.ts'

testLies('Apache', startApacheWithVerifier)
