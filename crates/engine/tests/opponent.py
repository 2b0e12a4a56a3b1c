"""Complete games of the engine against another, both over the UCI client of python-chess.

Usage: opponent.py ENGINE GAMES MILLISECONDS OPPONENT [ARGUMENT ...]

python-chess raises an error when the engine dies, answers late, or moves illegally; any of these ends
the script with a nonzero status and says in which game it happened. Prints a line for each game.
"""

import asyncio
import sys

import chess
import chess.engine

STRATEGIES = ["alpha-beta", "forward", "forward", "ctw"]
OPENINGS = [
    [],
    ["e2e4", "e7e5"],
    ["d2d4", "d7d5", "c2c4"],
    ["e2e4", "c7c5"],
    ["c2c4"],
    ["d2d4", "g8f6", "c2c4", "g7g6"],
    ["e2e4", "e7e6"],
]
# A game is called drawn here; both engines would go on shuffling.
MOST_PLIES = 240
# How long the clients wait beyond the time for a move: who takes longer hangs, on any machine.
GRACE_SECONDS = 600.0


async def play_game(number, engine, opponent, limit):
    board = chess.Board()
    for move in OPENINGS[number % len(OPENINGS)]:
        board.push_uci(move)
    ours = chess.WHITE if number // len(STRATEGIES) % 2 == 0 else chess.BLACK
    strategy = STRATEGIES[number % len(STRATEGIES)]
    await engine.configure({"Strategy": strategy})
    game = object()
    while not board.is_game_over(claim_draw=True) and board.ply() < MOST_PLIES:
        player = engine if board.turn == ours else opponent
        result = await asyncio.wait_for(
            player.play(board, limit, game=game), limit.time + GRACE_SECONDS
        )
        if result.move is None:
            if player is opponent:
                break
            raise AssertionError(f"no move in {board.fen()}")
        if result.move not in board.legal_moves:
            raise AssertionError(f"illegal {result.move} in {board.fen()}")
        board.push(result.move)
    outcome = board.outcome(claim_draw=True)
    result = outcome.result() if outcome else "*"
    color = "white" if ours == chess.WHITE else "black"
    print(f"game {number + 1}: {strategy} as {color}, {result} after {board.ply()} plies", flush=True)


async def main(engine_path, games, milliseconds, opponent_command):
    limit = chess.engine.Limit(time=milliseconds / 1000)
    _, engine = await chess.engine.popen_uci(engine_path)
    _, opponent = await chess.engine.popen_uci(opponent_command)
    for number in range(games):
        await play_game(number, engine, opponent, limit)
    await engine.quit()
    # The opponent is not what is tested.
    try:
        await asyncio.wait_for(opponent.quit(), 5)
    except (asyncio.TimeoutError, chess.engine.EngineError):
        pass
    print(f"{games} games finished")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]))
