"""PTX: modules that were compiled elsewhere as CUDA C++ for hiprtc, and asm statements of CUDA C++ as expressions.

A module passes through these stages:

* Parser (`lexer`, `token_cursor`, `declarations`, `body`, `parser`): text to a typed module (`module`, `types`).
* Analyses (`graph`, `def_use`, `liveness`, `loop_entry`, `ranges`): control flow, definitions and uses, known values.
* Transformations (`promote_params`, `reroll`, `countdown_loops`, `constant_trip_count`, `induction`): parameters become
  registers, and loops get the form that their source had. `reroll` has a proof (`reroll_facts`, `reroll_proof`) by
  symbolic execution (`symbolic`, `polynomials`).
* `structurizer`: the control-flow graph to loops and ifs.
* Emission (`type_inference`, `values`, `emit_context`, `emitter` and a module for each kind of instruction,
  `control_flow`, `cxx_statements`, `functions`, `variables`, `writer`): C++ text.

An instruction's meaning has one definition for modules and asm statements (`inline`, `inline_branches`), in
`tables/ptx.yaml` (`instructions`).
"""
