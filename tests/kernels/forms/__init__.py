"""How each known kernel runs on host cores: recorded, so that a change that makes a form worse is seen."""
