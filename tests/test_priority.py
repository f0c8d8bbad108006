"""Work in the background lets turns pass, and goes on all the same."""

import asyncio

from pi_memory.background.priority import TurnPriority


def test_work_lets_turns_pass() -> None:
    async def main() -> None:
        priority, done = TurnPriority(), []

        async def work() -> None:
            for piece in range(2):
                await priority.let_pass()
                done.append(f"piece {piece}")

        with priority.turn(), priority.turn():
            task = asyncio.create_task(work())
            for step in range(5):
                await asyncio.sleep(0)
                done.append(f"step {step}")
        await task
        assert done == [*(f"step {step}" for step in range(5)), "piece 0", "piece 1"]

    asyncio.run(main())


def test_it_does_not_wait_for_long() -> None:
    async def main() -> None:
        priority = TurnPriority()
        with priority.turn():
            await asyncio.wait_for(priority.let_pass(), 30)

    asyncio.run(main())
